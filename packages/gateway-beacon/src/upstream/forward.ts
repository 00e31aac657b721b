import type { RestResponse, RestUpstream } from '@fairlead/gateway-core/rest/rest-call'
import type { RestPool } from '@fairlead/gateway-core/rest/rest-pool'
import type { ResponseCache } from '../cache/response-cache.ts'
import { cacheRuleOf, isCacheable, mayBeCacheable } from '../cache/cacheable-response.ts'
import { TeeStream } from '../cache/tee-stream.ts'
import { isRepeatable } from './idempotency.ts'
import type { BeaconCall, NodeUpstreams } from './types.ts'

/** The upstreams of one node, with a cache for responses that never change. */
export class CachingNodeUpstreams implements NodeUpstreams {
  readonly #name: string
  readonly #pool: RestPool
  readonly #cache: ResponseCache

  /**
   * @param name - equal for two nodes only when they have the same upstreams
   * @param cache - shared with the upstreams of other nodes
   */
  constructor(name: string, pool: RestPool, cache: ResponseCache) {
    this.#name = name
    this.#pool = pool
    this.#cache = cache
  }

  async forward(call: BeaconCall): Promise<RestResponse> {
    const rule = cacheRuleOf(call)
    if (!rule) return this.#send(call)
    const key = `${this.#name}\n${JSON.stringify(call.headers)}\n${call.target}`
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

  ranked(): Promise<readonly RestUpstream[]> {
    return this.#pool.ranked()
  }

  #send(call: BeaconCall): Promise<RestResponse> {
    return this.#pool.request(call, isRepeatable(call) ? 'always' : 'unseen')
  }
}
