import { FairleadError } from '@fairlead/core'

/** One light client update of an SSZ response. */
export interface LightClientUpdateBytes {
  /** Identifies fork and network: 0x and 8 hex digits. */
  readonly fork_digest: string
  readonly bytes: Uint8Array
}

const lengthBytes = 8
const digestBytes = 4

/**
 * Splits the SSZ response of `GET /eth/v1/beacon/light_client/updates` into its updates.
 *
 * @param bytes - `bytes` of the response: for each update its length as 8 bytes (little-endian), 4 bytes fork digest,
 *   the update
 * @returns the updates in their order; views of the given bytes
 * @throws FairleadError `DECODE_INVALID` when a length exceeds the remaining bytes
 * @example
 * ```ts
 * const params = { query: { start_period: '1200', count: '8' } }
 * const { bytes } = await getSsz(beacon, '/eth/v1/beacon/light_client/updates', { params })
 * for (const update of splitLightClientUpdates(bytes)) console.log(update.fork_digest, update.bytes.length)
 * ```
 * @see getLightClientUpdatesByRange
 */
export function splitLightClientUpdates(bytes: Uint8Array): readonly LightClientUpdateBytes[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const updates: LightClientUpdateBytes[] = []
  for (let start = 0; start < bytes.length;) {
    const remaining = bytes.length - start - lengthBytes
    // The length includes the digest.
    const length = remaining >= digestBytes ? Number(view.getBigUint64(start, true)) : 0
    if (length < digestBytes || length > remaining) {
      const details = { path: `byte ${start}`, rule: 'must be the length of an update that is there' }
      throw new FairleadError('DECODE_INVALID', { operation: 'splitLightClientUpdates', ...details })
    }
    const digest = start + lengthBytes
    const update = digest + digestBytes
    start = digest + length
    const hex = Array.from(bytes.subarray(digest, update), (byte) => byte.toString(16).padStart(2, '0'))
    updates.push({ fork_digest: `0x${hex.join('')}`, bytes: bytes.subarray(update, start) })
  }
  return updates
}
