import { getAddressEncoder, getBase58Encoder, type Address } from '@solana/kit'
import { stateOf, type AccountState, type Engine } from './engine.ts'
import type { SlotContent } from './solana-chain.ts'

/** Slots of an epoch. */
export const epochSlots = 432_000n

const encode = (text: string) => Uint8Array.from(getAddressEncoder().encode(text as Address))
const clock = encode('SysvarC1ock11111111111111111111111111111111')
const slotHashes = encode('SysvarS1otHashes111111111111111111111111111')
const base58 = getBase58Encoder()
// The length of the list on a cluster, which programs read.
const maxHashes = 512

/**
 * Begins a slot in the engine: sets its clock and the hashes of the earlier slots.
 *
 * @param parents Earlier slots in order, the latest one last.
 * @returns The reported account: the clock. The hashes can be derived from the slots.
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

// A count, then slot and hash of each, the latest one first.
function slotHashesData(parents: readonly SlotContent[]): Uint8Array {
  const listed = parents.slice(-maxHashes).toReversed()
  const data = Buffer.alloc(8 + maxHashes * 40)
  data.writeBigUInt64LE(BigInt(listed.length), 0)
  for (const [position, content] of listed.entries()) {
    data.writeBigUInt64LE(content.slot, 8 + position * 40)
    data.set(lastHashOf(content), 16 + position * 40)
  }
  return data
}

/** Returns the last hash of a slot, which is its blockhash. */
export function lastHashOf({ entries, meta }: SlotContent): Uint8Array {
  return entries.at(-1)?.hash ?? Uint8Array.from(base58.encode(meta.blockhash))
}
