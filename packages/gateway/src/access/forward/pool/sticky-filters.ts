import { LRUCache } from 'lru-cache'
import type { AskedCall } from '../upstream.ts'
import type { UpstreamAnswer } from '../upstream-answer.ts'
import type { PoolMember } from './pool-member.ts'

const making: ReadonlySet<string> = new Set([
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
])
const using: ReadonlySet<string> = new Set([
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_uninstallFilter',
])

const maxFilters = 10_000
// Nodes forget a filter that nobody asks about after five minutes.
const idleMs = 10 * 60_000

/**
 * Which upstream has made a filter, as no other one knows it. All filters are made at one upstream while it is well:
 * some clients number theirs, and two upstreams would give the same number to two filters.
 */
export class StickyFilters {
  /** Made with the first filter: most nodes never have one, and the room for all of them is taken at once. */
  #makers: LRUCache<string, PoolMember> | undefined
  #home: PoolMember | undefined

  /** The upstream to ask; undefined when any may be. */
  memberFor({ method, params: [id] }: AskedCall): PoolMember | undefined {
    if (!making.has(method) && !using.has(method)) return undefined
    const maker = using.has(method) && typeof id === 'string' ? this.#makers?.get(id) : undefined
    if (maker) return maker
    return this.#home?.breaker.state === 'closed' && this.#home.chain !== 'wrong' ? this.#home : undefined
  }

  /** Remembers who made the filter in an answer. */
  made({ method }: AskedCall, member: PoolMember, answer: UpstreamAnswer): void {
    if (!making.has(method)) return
    // Not asked for any earlier, as they may have to be made.
    const { bytes } = answer
    if (!bytes) return
    this.#home = member
    const { result } = JSON.parse(bytes.toString()) as { readonly result?: unknown }
    if (typeof result !== 'string') return
    this.#makers ??= new LRUCache({ max: maxFilters, ttl: idleMs, updateAgeOnGet: true })
    this.#makers.set(result, member)
  }
}
