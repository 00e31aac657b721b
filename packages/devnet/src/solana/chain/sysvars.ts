import { getAddressEncoder, getBase58Encoder, type Address } from '@solana/kit'
import { stateOf, type AccountState, type Engine } from './engine.ts'
import type { SlotContent } from './solana-chain.ts'

/** Slots of an epoch. */
export const epochSlots = 432_000n

const encode = (text: string) => Uint8Array.from(getAddressEncoder().encode(text as Address))
const clock = encode('SysvarC1ock11111111111111111111111111111111')
const slotHashes = encode('SysvarS1otHashes111111111111111111111111111')
const base58 = getBase58Encoder()
// Programs read as many as there are on a cluster.
const mostHashes = 512

/**
 * Begins a slot in the engine: its clock, and the hashes of the slots before it.
 *
 * @param parents Slots before it in order, the newest one last.
 * @returns What the world is told of it: the clock. The hashes follow from the slots.
 */
export function beginSlot(
  engine: Engine,
  slot: bigint,
  blockTime: bigint,
  parents: readonly SlotContent[],
): AccountState[] {
  engine.beginSlot(slot, slot / epochSlots, blockTime)
  engine.setAccount({ ...accountOf(engine, slotHashes), data: slotHashesData(parents) })
  return [accountOf(engine, clock)]
}

function accountOf(engine: Engine, pubkey: Uint8Array): AccountState {
  const account = engine.account(pubkey)
  if (account === undefined) throw new TypeError('the engine lacks a sysvar')
  return stateOf(pubkey, account)
}

// A count, then slot and hash of each, the newest one first.
function slotHashesData(parents: readonly SlotContent[]): Uint8Array {
  const listed = parents.slice(-mostHashes).toReversed()
  const data = Buffer.alloc(8 + mostHashes * 40)
  data.writeBigUInt64LE(BigInt(listed.length), 0)
  for (const [position, content] of listed.entries()) {
    data.writeBigUInt64LE(content.slot, 8 + position * 40)
    data.set(lastHashOf(content), 16 + position * 40)
  }
  return data
}

/** The hash that a slot ended with, the same as its blockhash. */
export function lastHashOf({ entries, meta }: SlotContent): Uint8Array {
  return entries.at(-1)?.hash ?? Uint8Array.from(base58.encode(meta.blockhash))
}
