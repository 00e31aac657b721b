import { DeadlineStore } from '@fairlead/gateway-core/shared-store/deadline-store'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { MemoryCache } from './memory-cache.ts'
import { ChainIdentity } from './chain-identity.ts'
import { RequestCoalescer } from './request-coalescer.ts'
import { SharedCache } from './shared-cache.ts'
import { CredentialHeads } from '../consistency/credential-heads.ts'
import { SharedHeads } from '../consistency/shared-heads.ts'
import type { ChainView } from '../chain/chain-view.ts'
import type { Upstream } from '../upstream/types.ts'

/** What is remembered of the answers of one node. */
export interface NodeMemory {
  readonly chain: ChainIdentity
  readonly answers: RequestCoalescer
}

/** What is remembered of the answers of all nodes beyond the calls that they were for. */
export interface ResponseCaches {
  /** Nodes with the same upstreams have it in common. */
  of(upstream: Upstream, grant: Grant): NodeMemory
  readonly heads: CredentialHeads
  /** The same of all replicas. */
  readonly sharedHeads: SharedHeads
  /** Most blocks that a node is asked for logs of at once; any number when it is 0. */
  readonly upstreamLogRange: number
  /** Takes over how answers are asked for and kept from now on. */
  change(settings: ResponseCacheSettings): void
  /** What happened so far, and what is kept at the moment. */
  states(): ResponseCacheStates
}

/** Counters since the start, and the size of what is kept. */
export interface ResponseCacheStates {
  /** Calls that an answer in memory was there for, and that it was not. */
  readonly hits: number
  readonly misses: number
  /** Calls that waited for the same call of somebody else. */
  readonly joins: number
  readonly stored: number
  /** Answers that made room for others, or were true no more. */
  readonly dropped: number
  readonly entries: number
  readonly bytes: number
  /** Answers that were found in the shared store, and that were not. */
  readonly sharedHits: number
  readonly sharedMisses: number
}

/** How answers are asked for and kept. */
export interface ResponseCacheSettings {
  /** How long an answer about the newest block may be kept while that is the newest; 0 keeps none. */
  readonly headMs: number
  /** Most blocks that a node is asked for logs of at once; any number when it is 0. */
  readonly upstreamLogRange: number
}

/** What answers are kept with. */
export interface ResponseCacheOptions extends ResponseCacheSettings {
  /** Memory for kept answers; 0 keeps none. */
  readonly maxBytes: number
  /** What is known of the chain behind a node. */
  readonly chainOf: (grant: Grant) => ChainView | undefined
  /** What replicas have in common. */
  readonly store?: DeadlineStore | undefined
}

/** Makes the memory for the answers of all nodes. */
export function createResponseCaches(options: ResponseCacheOptions): ResponseCaches {
  const { maxBytes, chainOf } = options
  let { headMs, upstreamLogRange } = options
  const { store = new DeadlineStore(undefined) } = options
  const kept = new MemoryCache(maxBytes)
  const shared = new SharedCache(maxBytes === 0 ? new DeadlineStore(undefined) : store)
  const counts = { hits: 0, misses: 0, joins: 0 }
  // It ends with its node, which nobody tells of.
  const nodes = new WeakMap<Upstream, NodeMemory>()
  let known = 0
  return {
    of: (upstream, grant) => {
      const before = nodes.get(upstream)
      if (before) return before
      const address = grant.upstreams['evm'] ?? ''
      // The embedded chain is begun anew at will.
      const view = address === 'devnet' ? undefined : chainOf(grant)
      const chain = new ChainIdentity(upstream, view, address, `${(known += 1)}`)
      const answers = new RequestCoalescer({ upstream, chain, kept, shared, counts, headMs: () => headMs })
      const memory = { chain, answers }
      nodes.set(upstream, memory)
      return memory
    },
    heads: new CredentialHeads(),
    sharedHeads: new SharedHeads(store),
    get upstreamLogRange() {
      return upstreamLogRange
    },
    change: (settings) => ({ headMs, upstreamLogRange } = settings),
    states: () => {
      const { hits: sharedHits, misses: sharedMisses } = shared.states()
      return { ...counts, ...kept.states(), sharedHits, sharedMisses }
    },
  }
}
