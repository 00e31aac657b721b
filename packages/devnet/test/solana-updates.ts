import { createHash } from 'node:crypto'
import { getBase58Decoder } from '@solana/kit'
import {
  SubscribeRequest,
  SubscribeUpdate,
  SubscribeUpdateAccountInfo,
  SubscribeUpdateTransactionInfo,
} from '@fairlead/grpc/geyser'
import type { SlotContent } from '../src/solana/chain/solana-chain.ts'
import { readStreamFilter } from '../src/solana/api/geyser/filter/stream-filter.ts'
import { contentUpdates } from '../src/solana/api/geyser/update/slot-updates.ts'
import {
  accountUpdate,
  transactionUpdate,
  viewAccount,
  viewTransaction,
  type Update,
} from '../src/solana/api/geyser/update/update.ts'

/** Requests and updates for tests, in the types that generated code accepts. */
export type RequestParts = Parameters<typeof SubscribeRequest.fromPartial>[0]
export type AccountParts = Parameters<typeof SubscribeUpdateAccountInfo.fromPartial>[0]
export type TransactionParts = Parameters<typeof SubscribeUpdateTransactionInfo.fromPartial>[0]

/** Returns the public key of a name. */
export function key(name: string): Uint8Array {
  return Uint8Array.from(createHash('sha256').update(name).digest())
}

export function base58(bytes: Uint8Array): string {
  return getBase58Decoder().decode(bytes)
}

/** Returns the address of the key of a name. */
export function address(name: string): string {
  return base58(key(name))
}

export function account(parts: AccountParts): Update {
  return accountUpdate(7n, viewAccount(SubscribeUpdateAccountInfo.fromPartial(parts)))
}

export function transaction(parts: TransactionParts): Update {
  return transactionUpdate(7n, viewTransaction(SubscribeUpdateTransactionInfo.fromPartial(parts)))
}

/** The updates of a slot at the level PROCESSED. */
export function slotOf(content: SlotContent): readonly Update[] {
  return [...contentUpdates(content, 0)]
}

/** Returns the updates that a stream with the request would receive for an update. */
export function receive(request: RequestParts, update: Update): SubscribeUpdate[] {
  const frames = readStreamFilter(SubscribeRequest.fromPartial(request)).framesOf(update)
  return frames.map((frame) => SubscribeUpdate.decode(frame.subarray(5)))
}

/** Whether a stream with the request would receive an update. */
export function matches(request: RequestParts, update: Update): boolean {
  return receive(request, update).length > 0
}
