import { writeHash } from '../../cells/hash.ts'
import type { AccountSummary } from '../../../chain/jetton-chain.ts'

/** Formats the state of an account before or after a transaction. */
export function accountStateRow(state: AccountSummary) {
  return {
    hash: writeHash(state.hash),
    balance: String(state.balance),
    extra_currencies: {},
    account_status: state.status,
    frozen_hash: hashOrNull(state.frozenHash),
    data_hash: hashOrNull(state.dataHash),
    code_hash: hashOrNull(state.codeHash),
  }
}

/** Formats a hash that may be missing. */
export function hashOrNull(hash: Buffer | undefined): string | null {
  return hash === undefined ? null : writeHash(hash)
}
