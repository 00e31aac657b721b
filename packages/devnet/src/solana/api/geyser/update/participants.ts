import type { SubscribeUpdateTransactionInfo } from '@fairlead/grpc/geyser'
import { keyText, keyTextOfAddress } from '../key-text.ts'

/** The accounts and token owners of a transaction. */
export interface Participants {
  /** Its accounts: those of the message, then those loaded from lookup tables. 32 bytes each. */
  readonly accounts: readonly Uint8Array[]
  /** The same as texts in the format of `keyText`. */
  readonly keys: ReadonlySet<string>
  /** Owners of all token balances, as texts in the format of `keyText`. */
  readonly tokenOwners: ReadonlySet<string>
  /** The owners whose balance changed in the transaction. */
  readonly changedTokenOwners: ReadonlySet<string>
}

/** Collects the accounts and token owners of a transaction, each group on demand. */
export function createParticipants({ transaction, meta }: SubscribeUpdateTransactionInfo): Participants {
  let accounts: readonly Uint8Array[] | undefined
  let keys: ReadonlySet<string> | undefined
  let tokenOwners: ReadonlySet<string> | undefined
  let changedTokenOwners: ReadonlySet<string> | undefined
  const participants: Participants = {
    get accounts() {
      accounts ??= [
        ...(transaction?.message?.accountKeys ?? []),
        ...(meta?.loadedWritableAddresses ?? []),
        ...(meta?.loadedReadonlyAddresses ?? []),
      ]
      return accounts
    },
    get keys() {
      keys ??= new Set(participants.accounts.map(keyText))
      return keys
    },
    get tokenOwners() {
      tokenOwners ??= keysOf(tokenBalances(meta).map(({ owner }) => owner))
      return tokenOwners
    },
    get changedTokenOwners() {
      changedTokenOwners ??= keysOf(findChangedOwners(meta))
      return changedTokenOwners
    },
  }
  return participants
}

type Meta = SubscribeUpdateTransactionInfo['meta']
type Balance = NonNullable<Meta>['preTokenBalances'][number]

function tokenBalances(meta: Meta): Balance[] {
  return [...(meta?.preTokenBalances ?? []), ...(meta?.postTokenBalances ?? [])]
}

// An account with a balance on one side only was opened or closed.
function findChangedOwners(meta: Meta): string[] {
  const before = describe(meta?.preTokenBalances)
  const after = describe(meta?.postTokenBalances)
  return tokenBalances(meta)
    .filter((balance) => before.get(balance.accountIndex) !== after.get(balance.accountIndex))
    .map(({ owner }) => owner)
}

function describe(balances: readonly Balance[] = []): Map<number, string> {
  return new Map(
    balances.map(({ accountIndex, owner, mint, uiTokenAmount }) => [
      accountIndex,
      `${owner} ${mint} ${uiTokenAmount?.amount}`,
    ]),
  )
}

function keysOf(owners: readonly string[]): ReadonlySet<string> {
  return new Set(owners.map(keyTextOfAddress).filter((key) => key !== undefined))
}
