import type { IncomingHttpHeaders } from 'node:http'
import type { StreamedResponse } from '@fairlead/gateway-core/rest/rest-call'
import type { BeaconCall } from '../upstream/types.ts'

/** Longest answer that is kept, in bytes. */
export const maxLastingBytes = 1_048_576

/** What has to be true of an answer that may be given again. */
export interface CacheRule {
  /** For ever when it is left out. */
  readonly lifeMs?: number
  /** Whether the answer itself has to say that it is final. */
  readonly mustBeFinal: boolean
}

// A node may learn of a new fork when it is upgraded, and a development network may begin anew.
const shortLifeMs = 60_000
const constants = /^\/eth\/v1\/(?:beacon\/genesis|config\/(?:spec|deposit_contract|fork_schedule))$/
// Not the side cars of blobs and columns, of which a node answers with those that it happens to hold.
const byId =
  /^\/eth\/v\d\/beacon\/(?:states|headers|blocks|blinded_blocks|blobs|rewards\/blocks|execution_payload_envelopes)\/(?<id>\w+)(?:\/|$)/
const root = /^0x[\da-f]{64}$/i
const slot = /^(?:\d+|genesis)$/

/**
 * Tells whether the answer to a call can last.
 *
 * What is asked by root is the same for ever once it is final; a slot names the same block for ever then, but only as
 * long as it is the same network that stands at the address.
 *
 * @returns undefined for a call whose answer may be another one the next time
 */
export function cacheRuleOf({
  method,
  target,
  acceptable,
}: Pick<BeaconCall, 'method' | 'target' | 'acceptable'>): CacheRule | undefined {
  // Nobody knows which form the answer to an operation of an earlier release has.
  if (method !== 'GET' || acceptable.length === 0) return undefined
  const [path = ''] = target.split('?', 1)
  if (constants.test(path)) return { lifeMs: shortLifeMs, mustBeFinal: false }
  const id = byId.exec(path)?.groups?.['id'] ?? ''
  if (root.test(id)) return { mustBeFinal: true }
  return slot.test(id) ? { lifeMs: shortLifeMs, mustBeFinal: true } : undefined
}

/** Tells from the head of an answer whether it is one that could be kept. */
export function mayLast({ status, headers }: StreamedResponse, { mustBeFinal }: CacheRule): boolean {
  if (status !== 200 || headers['content-encoding'] !== undefined) return false
  if (Number(headers['content-length'] ?? 0) > maxLastingBytes) return false
  if (isJson(headers)) return true
  // Without its length nobody can tell whether such a body is whole.
  return mustBeFinal && headers['content-length'] !== undefined && isFinalByHeaders(headers)
}

/** Tells from a whole answer whether it lasts. */
export function lasts(headers: IncomingHttpHeaders, bytes: Buffer, { mustBeFinal }: CacheRule): boolean {
  if (!isJson(headers)) return true
  const text = bytes.toString()
  // Most blocks are asked for while they are new, and need not be parsed.
  if (mustBeFinal && !/"finalized"\s*:\s*true/.test(text)) return false
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer !== 'object' || answer === null || !('data' in answer)) return false
    if (!mustBeFinal) return true
    const { finalized, execution_optimistic } = answer as Record<string, unknown>
    return finalized === true && execution_optimistic === false
  } catch {
    return false
  }
}

function isJson(headers: IncomingHttpHeaders): boolean {
  return /^application\/json\b/i.test(headers['content-type'] ?? '')
}

function isFinalByHeaders(headers: IncomingHttpHeaders): boolean {
  return headers['eth-consensus-finalized'] === 'true' && headers['eth-execution-optimistic'] === 'false'
}
