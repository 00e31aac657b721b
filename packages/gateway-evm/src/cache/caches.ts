import { DeadlineStore } from '@fairlead/gateway-core/shared-store/deadline-store'
import type { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { MemoryCache } from './memory-cache.ts'
import { ChainIdentity } from './chain-identity.ts'
import { RequestCoalescer, type SendCall } from './request-coalescer.ts'
import { SharedCache } from './shared-cache.ts'
import { CredentialHeads } from '../consistency/credential-heads.ts'
import { SharedHeads } from '../consistency/shared-heads.ts'
import type { ChainView } from '../chain/chain-view.ts'
import type { ClientCall } from '../client-call.ts'
import type { Upstream } from '../upstream/types.ts'

/** Cached state of one node. */
export interface NodeCache<call extends ClientCall> {
  readonly chain: ChainIdentity
  readonly coalescer: RequestCoalescer<call>
}

/** Cached state of all nodes, which outlives single calls. */
export interface ResponseCaches<call extends ClientCall> {
  /**
   * Returns the cached state of a node. Nodes with the same upstreams share it.
   *
   * @param upstream - upstreams of the node, or of one of its calls
   */
  of(upstream: Upstream, grant: Grant): NodeCache<call>
  readonly heads: CredentialHeads
  /** The same heads, shared by all replicas. */
  readonly sharedHeads: SharedHeads
  /** Maximum number of blocks in one log query to an upstream. 0 = unlimited. */
  readonly upstreamLogRange: number
  /** Applies changed settings. */
  change(settings: ResponseCacheSettings): void
  /** Returns the counters and the current size of the cache. */
  states(): ResponseCacheStates
}

/** Counters since process start, and the size of the cache. */
export interface ResponseCacheStates {
  /** Calls with and without a response in the memory cache. */
  readonly hits: number
  readonly misses: number
  /** Calls that were coalesced with an identical in-flight call. */
  readonly joins: number
  readonly stored: number
  /** Responses that were evicted or had expired. */
  readonly dropped: number
  readonly entries: number
  readonly bytes: number
  /** Lookups in the shared store with and without a result. */
  readonly sharedHits: number
  readonly sharedMisses: number
}

/** Settings for requests to upstreams and for cached responses. */
export interface ResponseCacheSettings {
  /**
   * How long a response about the latest block may be cached while that block is the latest, in milliseconds. 0
   * disables this.
   */
  readonly headMs: number
  /** Maximum number of blocks in one log query to an upstream. 0 = unlimited. */
  readonly upstreamLogRange: number
}

/** Options of the response caches. */
export interface ResponseCacheOptions<call extends ClientCall> extends ResponseCacheSettings {
  /** Sends a call for which there is no response yet. */
  readonly send: SendCall<call>
  /** Memory budget for cached responses, in bytes. 0 disables the cache. */
  readonly maxBytes: number
  /** Spreads the responses to coalesced calls over event-loop ticks. */
  readonly budget: TickBudget
  /** Returns the observed chain of a node. */
  readonly chainOf: (grant: Grant) => ChainView | undefined
  /** Store that replicas share. */
  readonly store?: DeadlineStore | undefined
}

/** Creates the response caches of all nodes. */
export function createResponseCaches<call extends ClientCall>(
  options: ResponseCacheOptions<call>,
): ResponseCaches<call> {
  const { maxBytes, chainOf, budget, send } = options
  let { headMs, upstreamLogRange } = options
  const { store = new DeadlineStore(undefined) } = options
  const cache = new MemoryCache(maxBytes)
  const shared = new SharedCache(maxBytes === 0 ? new DeadlineStore(undefined) : store)
  const counts = { hits: 0, misses: 0, joins: 0 }
  // An entry lives as long as its upstream object. There is no notification when a node is removed.
  const nodes = new WeakMap<Upstream, NodeCache<call>>()
  let chainCount = 0
  return {
    of: (given, grant) => {
      const upstream = given.node ?? given
      const before = nodes.get(upstream)
      before?.chain.follow(upstream.list?.version)
      if (before) return before
      // The embedded chain may be reset at any time.
      const view = grant.upstreams['evm'] === 'devnet' ? undefined : chainOf(grant)
      const chain = new ChainIdentity(upstream, view, `${(chainCount += 1)}`)
      const coalescer = new RequestCoalescer({
        upstream,
        send,
        chain,
        cache,
        shared,
        counts,
        budget,
        headMs: () => headMs,
      })
      const nodeCache = { chain, coalescer }
      nodes.set(upstream, nodeCache)
      return nodeCache
    },
    heads: new CredentialHeads(),
    sharedHeads: new SharedHeads(store),
    get upstreamLogRange() {
      return upstreamLogRange
    },
    change: (settings) => ({ headMs, upstreamLogRange } = settings),
    states: () => {
      const { hits: sharedHits, misses: sharedMisses } = shared.states()
      return { ...counts, ...cache.states(), sharedHits, sharedMisses }
    },
  }
}
