import { CommitmentLevel, type SubscribeUpdateAccountInfo } from '@fairlead/grpc/geyser'
import type { SlotContent, PendingSlot } from '../../../chain/solana-chain.ts'
import { levels, statusOfLevel } from '../levels.ts'
import {
  accountUpdate,
  blockMetaUpdate,
  blockUpdate,
  entryUpdate,
  slotUpdate,
  transactionUpdate,
  viewAccount,
  viewTransaction,
  type Update,
} from './update.ts'
import { keyText } from '../key-text.ts'

/**
 * Creates the updates of a slot's content in the order of the streams: accounts, transactions, entries, then the block.
 *
 * @param content the slot
 * @param level above PROCESSED, only the last write of each account is included
 */
export function* contentUpdates(content: SlotContent, level: CommitmentLevel): Generator<Update> {
  const accounts = level === CommitmentLevel.PROCESSED ? content.accounts : lastWrites(content.accounts)
  yield* beginningUpdates({ ...content, accounts })
  yield* blockUpdates(content)
}

/** Creates the updates of an incomplete slot. */
export function* beginningUpdates({ slot, accounts, transactions, entries }: PendingSlot): Generator<Update> {
  for (const account of accounts) yield accountUpdate(slot, viewAccount(account))
  for (const transaction of transactions) yield transactionUpdate(slot, viewTransaction(transaction))
  for (const entry of entries) yield entryUpdate(entry)
}

/** Creates the updates of a complete slot: the block, and its metadata. */
export function* blockUpdates(content: SlotContent): Generator<Update> {
  yield blockUpdate({
    content,
    accounts: lastWrites(content.accounts).map(viewAccount),
    transactions: content.transactions.map(viewTransaction),
  })
  yield blockMetaUpdate(content)
}

/**
 * Creates the updates of a slot for a replay: the statuses that the slot has reached, and its content before the status
 * of the stream's level.
 *
 * @param content the slot
 * @param highest highest level of the slot
 * @param commitment level of the stream
 */
export function* replayedUpdates(
  content: SlotContent,
  highest: CommitmentLevel,
  commitment: CommitmentLevel,
): Generator<Update> {
  for (const level of levels.filter((candidate) => candidate <= highest)) {
    if (level === commitment) yield* contentUpdates(content, commitment)
    yield slotUpdate(content.slot, content.parent, statusOfLevel[level])
  }
}

/** Returns only the last write of each account, in the order of the writes. */
function lastWrites(accounts: readonly SubscribeUpdateAccountInfo[]): readonly SubscribeUpdateAccountInfo[] {
  const last = new Map<string, SubscribeUpdateAccountInfo>()
  for (const account of accounts) {
    const key = keyText(account.pubkey)
    const known = last.get(key)
    if (known === undefined || known.writeVersion < account.writeVersion) last.set(key, account)
  }
  return [...last.values()].toSorted((a, b) => (a.writeVersion < b.writeVersion ? -1 : 1))
}
