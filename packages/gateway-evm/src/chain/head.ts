import { malformed } from '../upstream/rpc-errors.ts'

/** A block's header on its way to those who follow the chain. */
export interface Head {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** The header as JSON. */
  readonly text: string
}

// What a node may add to a header: the body, and what is measured of it.
const bodyFields = new Set(['transactions', 'uncles', 'withdrawals', 'size'])

/**
 * Reads a header out of what a node sends for a new head or for a block.
 *
 * @throws {@link UpstreamError} with status 502 when it is neither
 */
export function readHead(value: unknown): Head {
  if (typeof value !== 'object' || value === null) throw malformed()
  const { number, hash, parentHash } = value as Record<string, unknown>
  if (typeof number !== 'string' || !/^0x[0-9a-f]{1,13}$/i.test(number)) throw malformed()
  if (typeof hash !== 'string' || typeof parentHash !== 'string') throw malformed()
  const header = Object.entries(value).filter(([field]) => !bodyFields.has(field))
  return { number: Number(number), hash, parentHash, text: JSON.stringify(Object.fromEntries(header)) }
}
