import type { IncomingHttpHeaders } from 'node:http'
import type { StreamedResponse } from '@fairlead/gateway-core/rest/rest-call'
import type { ResolvedOperation } from '../operations/operations.ts'

/** Maximum size of a cacheable response, in bytes. */
export const maxCacheableBytes = 1_048_576

/** Conditions under which a response is cacheable. */
export interface CacheRule {
  /** Time to live, in milliseconds; unlimited when omitted. */
  readonly ttlMs?: number
  /** Whether the response itself must state that it is finalized. */
  readonly mustBeFinal: boolean
  /** Whether the resource is requested by root, which identifies it in every network. */
  readonly isByRoot: boolean
}

// An upgraded upstream may add a fork, and a development network may be reset.
const shortTtlMs = 60_000
const root = /^0x[\da-f]{64}$/i
const slot = /^(?:\d+|genesis)$/

/**
 * Returns the cache rule for the response to a call.
 *
 * A resource that is requested by root never changes once it is finalized. A slot then also identifies the same block
 * permanently, but only as long as the URL serves the same network.
 *
 * @returns undefined for a call whose response may change
 */
export function cacheRuleOf({
  policy: { cache },
  pathValues,
}: Pick<ResolvedOperation, 'policy' | 'pathValues'>): CacheRule | undefined {
  if (!cache) return undefined
  if (cache.kind === 'constant') return { ttlMs: shortTtlMs, mustBeFinal: false, isByRoot: false }
  const id = (cache.param !== undefined && pathValues[cache.param]) || ''
  if (root.test(id)) return { mustBeFinal: true, isByRoot: true }
  return slot.test(id) ? { ttlMs: shortTtlMs, mustBeFinal: true, isByRoot: false } : undefined
}

/** Returns whether a response may be cacheable, judging by its status and headers. */
export function mayBeCacheable({ status, headers }: StreamedResponse, { mustBeFinal }: CacheRule): boolean {
  if (status !== 200 || headers['content-encoding'] !== undefined) return false
  if (Number(headers['content-length'] ?? 0) > maxCacheableBytes) return false
  if (isJson(headers)) return true
  // Without a content length, a truncated body cannot be detected.
  return mustBeFinal && headers['content-length'] !== undefined && isFinalByHeaders(headers)
}

/** Returns whether a complete response is cacheable. */
export function isCacheable(
  headers: IncomingHttpHeaders,
  bytes: Buffer,
  { mustBeFinal }: CacheRule,
): boolean {
  if (!isJson(headers)) return true
  const text = bytes.toString()
  // Most blocks are requested while they are new. This check avoids parsing them.
  if (mustBeFinal && !/"finalized"\s*:\s*true/.test(text)) return false
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null || !('data' in parsed)) return false
    if (!mustBeFinal) return true
    const { finalized, execution_optimistic } = parsed as Record<string, unknown>
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
