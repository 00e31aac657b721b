import { malformed } from '../response/rpc-errors.ts'

/** A block header for subscribers that follow the chain. */
export interface Head {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Its timestamp; undefined when the header has none. */
  readonly producedAtMs?: number | undefined
  /** The header as JSON. */
  readonly text: string
}

// Fields that upstreams may add to a header: the block body and its size.
const bodyFields = new Set(['transactions', 'uncles', 'withdrawals', 'size'])

/**
 * Parses the header in a `newHeads` notification or a block of an upstream.
 *
 * @throws {@link UpstreamError} with status 502 when the value is neither
 */
export function readHead(value: unknown): Head {
  if (typeof value !== 'object' || value === null) throw malformed()
  const { number, hash, parentHash, timestamp } = value as Record<string, unknown>
  if (typeof number !== 'string' || !/^0x[0-9a-f]{1,13}$/i.test(number)) throw malformed()
  if (typeof hash !== 'string' || typeof parentHash !== 'string') throw malformed()
  const header = Object.entries(value).filter(([field]) => !bodyFields.has(field))
  const seconds = typeof timestamp === 'string' ? Number(timestamp) : Number.NaN
  return {
    number: Number(number),
    hash,
    parentHash,
    producedAtMs: Number.isSafeInteger(seconds) ? seconds * 1_000 : undefined,
    text: JSON.stringify(Object.fromEntries(header)),
  }
}
