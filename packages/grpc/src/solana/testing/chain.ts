import { SlotStatus, type SubscribeUpdate } from '../../generated/geyser.ts'
import { encodeBase58 } from '../base58.ts'
import { updateOf } from './geyser-server.ts'

/** Pseudorandom bytes that depend on a number only. */
export function bytesOf(seed: number, length: number): Uint8Array {
  const next = randomOf(seed)
  return Uint8Array.from({ length }, () => Math.floor(next() * 256))
}

/** Pseudorandom numbers from 0 to 1 that depend on a seed only. */
export function randomOf(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A slot as a node sends it: accounts, transactions, an entry, the block meta and the status. */
export function slotUpdates(
  slot: bigint,
  { transactions = 3, accounts = 1, fork = 0, parent = slot - 1n, parentFork = 0, writeVersion = 0n } = {},
): SubscribeUpdate[] {
  const seed = Number(slot) * 1000 + fork * 500
  const ids = Array.from({ length: transactions }, (_, index) => index)
  return [
    ...Array.from({ length: accounts }, (_, index) =>
      updateOf({
        $case: 'account',
        value: {
          slot,
          isStartup: false,
          account: {
            pubkey: bytesOf(index + 7, 32),
            lamports: slot,
            owner: bytesOf(1, 32),
            executable: false,
            rentEpoch: 0n,
            data: bytesOf(seed + index, 16),
            // Each node has its own counter.
            writeVersion,
            txnSignature: index % 2 === 0 ? bytesOf(seed + index, 64) : undefined,
          },
        },
      }),
    ),
    ...ids.map((index) =>
      updateOf({
        $case: 'transaction',
        value: {
          slot,
          transaction: {
            signature: bytesOf(seed + index, 64),
            isVote: false,
            transaction: undefined,
            meta: undefined,
            index: BigInt(index),
          },
        },
      }),
    ),
    updateOf({
      $case: 'entry',
      value: {
        slot,
        index: 0n,
        numHashes: 1n,
        hash: bytesOf(seed, 32),
        executedTransactionCount: BigInt(transactions),
        startingTransactionIndex: 0n,
      },
    }),
    blockMeta(slot, fork, parent, parentFork),
    updateOf({
      $case: 'slot',
      value: { slot, parent, status: SlotStatus.SLOT_PROCESSED, deadError: undefined },
    }),
  ]
}

/** The hash of a block; each fork has another one. */
export function blockhashOf(slot: bigint, fork = 0): string {
  return encodeBase58(bytesOf(Number(slot) * 10 + fork, 32))
}

function blockMeta(slot: bigint, fork: number, parentSlot: bigint, parentFork: number): SubscribeUpdate {
  return updateOf({
    $case: 'blockMeta',
    value: {
      slot,
      blockhash: blockhashOf(slot, fork),
      rewards: undefined,
      blockTime: { timestamp: slot },
      blockHeight: { blockHeight: slot },
      parentSlot,
      parentBlockhash: blockhashOf(parentSlot, parentFork),
      executedTransactionCount: 3n,
      entriesCount: 1n,
    },
  })
}

/** Describes an update in a few letters: `102 t0` is a transaction, `102 a` an account. */
export function labelOf({ updateOneof }: SubscribeUpdate): string {
  switch (updateOneof?.$case) {
    case 'transaction':
      return `${updateOneof.value.slot} t${updateOneof.value.transaction?.index}`
    case 'transactionStatus':
      return `${updateOneof.value.slot} u${updateOneof.value.index}`
    case 'account':
      return `${updateOneof.value.slot} a${updateOneof.value.account?.pubkey[0]}`
    case 'entry':
      return `${updateOneof.value.slot} e${updateOneof.value.index}`
    case 'block':
      return `${updateOneof.value.slot} b`
    case 'blockMeta':
      return `${updateOneof.value.slot} m`
    case 'slot':
      return `${updateOneof.value.slot} s${updateOneof.value.status}`
    case 'ping':
    case 'pong':
    case undefined:
  }
  return updateOneof?.$case ?? ''
}
