import type { RestResponse, RestUpstream } from '@fairlead/gateway-core/rest/rest-call'
import type { RestPool } from '@fairlead/gateway-core/rest/rest-pool'
import type { NodePool } from '@fairlead/gateway-core/upstream/node-pools'
import type { KeyPrefixes } from '../cache/key-prefixes.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import { cacheRuleOf, isCacheable, mayBeCacheable } from '../cache/cacheable-response.ts'
import { TeeStream } from '../cache/tee-stream.ts'
import type { BeaconCall, NodeUpstreams } from './types.ts'

/** The upstreams of one node, with a cache for responses that never change. */
export class CachingNodeUpstreams implements NodeUpstreams {
  readonly id: number
  readonly #pool: NodePool<RestPool>
  readonly #cache: ResponseCache
  readonly #prefixes: KeyPrefixes
  /** Begins the keys of cached responses that are addressed by root. */
  #keyPrefix: string
  /** Begins the keys of all other cached responses. */
  #listPrefix: string
  #text: string
  #isPrivate = false

  /**
   * @param id - unique in the process
   * @param cache - shared with the upstreams of other nodes
   */
  constructor(id: number, pool: NodePool<RestPool>, cache: ResponseCache, prefixes: KeyPrefixes) {
    this.id = id
    this.#pool = pool
    this.#cache = cache
    this.#prefixes = prefixes
    this.#text = pool.text
    this.#keyPrefix = prefixes.of(pool.text)
    this.#listPrefix = this.#keyPrefix
  }

  /** Applies changes of the upstreams. */
  followChanges(): void {
    if (this.#pool.text === this.#text) return
    // Cached responses may be of any upstream that the pool has had, so no other pool may share the prefix.
    if (!this.#isPrivate) this.#keyPrefix = this.#prefixes.take(this.#text, this.#keyPrefix)
    this.#isPrivate = true
    // A root identifies a resource in every network. The upstreams in use may be of another network now.
    this.#listPrefix = `${this.#keyPrefix}${this.#pool.version}\n`
    this.#text = this.#pool.text
  }

  async forward(call: BeaconCall): Promise<RestResponse> {
    const rule = cacheRuleOf(call.operation)
    if (!rule) return this.#send(call)
    const prefix = rule.isByRoot ? this.#keyPrefix : this.#listPrefix
    const key = `${prefix}${JSON.stringify(call.headers)}\n${call.target}`
    const cached = this.#cache.get(key)
    if (cached) return cached
    const response = await this.#send(call)
    if (!('body' in response) || !mayBeCacheable(response, rule)) return response
    const { status, headers } = response
    const body = new TeeStream(response.body, this.#cache, (bytes) => {
      if (isCacheable(headers, bytes, rule)) this.#cache.set(key, { status, headers, bytes }, rule.ttlMs)
    })
    return { status, headers, body }
  }

  async ranked(): Promise<readonly RestUpstream[]> {
    const pool = this.#pool.current
    const ranked = await pool.ranked()
    // The upstreams may have changed while their health was checked.
    return pool === this.#pool.current ? ranked : this.ranked()
  }

  includes(upstream: RestUpstream): boolean {
    return this.#pool.current.includes(upstream)
  }

  uses(upstream: RestUpstream): boolean {
    return this.#pool.current.uses(upstream)
  }

  #send(call: BeaconCall): Promise<RestResponse> {
    return this.#pool.current.request(call, call.operation.policy.resending)
  }
}
