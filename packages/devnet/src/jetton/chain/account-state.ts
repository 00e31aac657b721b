import { beginCell, loadShardAccount, storeShardAccount, type ShardAccount } from '@ton/core'
import { readTrustedBoc } from './cells/read-trusted-boc.ts'
import type { AccountSummary } from './jetton-chain.ts'

/** The state of an account at one time; it is parsed only when more than its bytes is needed. */
export class AccountState {
  /** `ShardAccount` (block.tlb) as a bag of cells in base64, the input format of the executor. */
  readonly boc: string
  #reading: { readonly summary: AccountSummary; readonly lastLt: bigint } | undefined

  constructor(boc: string) {
    this.boc = boc
  }

  get summary(): AccountSummary {
    return this.#read().summary
  }

  /** Logical time of the last transaction. */
  get lastLt(): bigint {
    return this.#read().lastLt
  }

  /** Parses the whole state, including code and data. */
  load(): ShardAccount {
    return loadShardAccount(readTrustedBoc(Buffer.from(this.boc, 'base64')).beginParse())
  }

  #read() {
    return (this.#reading ??= readAccount(this.boc))
  }
}

const statuses = { uninit: 'uninit', active: 'active', frozen: 'frozen' } as const

function readAccount(boc: string): { summary: AccountSummary; lastLt: bigint } {
  const cell = readTrustedBoc(Buffer.from(boc, 'base64'))
  const { account, lastTransactionLt: lastLt } = loadShardAccount(cell.beginParse())
  if (!account) return { summary: missingSummary, lastLt }
  const { state, balance } = account.storage
  const active = state.type === 'active' ? state.state : undefined
  const summary: AccountSummary = {
    hash: cell.refs[0]?.hash() ?? emptyHash,
    balance: balance.coins,
    status: statuses[state.type],
    codeHash: active?.code?.hash(),
    dataHash: active?.data?.hash(),
    frozenHash: state.type === 'frozen' ? bigintToHash(state.stateHash) : undefined,
  }
  return { summary, lastLt }
}

/** Serializes the state of an account. */
export function writeAccountState(account: ShardAccount): string {
  return beginCell().store(storeShardAccount(account)).endCell().toBoc().toString('base64')
}

const emptyHash = beginCell().storeBit(false).endCell().hash()
const missingSummary: AccountSummary = {
  hash: emptyHash,
  balance: 0n,
  status: 'nonexist',
  codeHash: undefined,
  dataHash: undefined,
  frozenHash: undefined,
}

/** The state of an account that does not exist. */
export const missingAccount = new AccountState(
  writeAccountState({ account: undefined, lastTransactionHash: 0n, lastTransactionLt: 0n }),
)

function bigintToHash(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
}
