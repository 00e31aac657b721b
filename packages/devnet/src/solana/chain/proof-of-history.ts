import { createHash } from 'node:crypto'

/**
 * Hashes from one entry to the next; a cluster computes tens of thousands, which would use all the CPU time of this
 * process.
 */
export const hashesPerEntry = 8

/**
 * Continues the proof of history: computes hashes, the last of which includes the transactions.
 *
 * @param hash The hash of the previous entry, 32 bytes.
 * @param signatures Signatures of the entry's transactions; without one the entry is a tick.
 * @returns The hash of the entry.
 */
export function nextEntryHash(hash: Uint8Array, signatures: readonly Uint8Array[]): Uint8Array {
  let current = hash
  for (let step = 1; step < hashesPerEntry; step++) current = sha256(current)
  return signatures.length === 0 ? sha256(current) : sha256(current, merkleRoot(signatures))
}

function merkleRoot(signatures: readonly Uint8Array[]): Uint8Array {
  let nodes = signatures.map((signature) => sha256(leafPrefix, signature))
  while (nodes.length > 1) {
    nodes = nodes.flatMap((left, position) =>
      position % 2 === 0 ? [sha256(branchPrefix, left, nodes[position + 1] ?? left)] : [],
    )
  }
  return nodes[0] ?? new Uint8Array(32)
}

const leafPrefix = Uint8Array.of(0)
const branchPrefix = Uint8Array.of(1)

function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return Uint8Array.from(hash.digest())
}
