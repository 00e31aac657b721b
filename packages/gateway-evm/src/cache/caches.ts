import { BriefStore } from '@fairlead/gateway-core/shared-store/deadline-store'
import type { NodeGrant } from '@fairlead/gateway-core/grants/grant'
import { KeptAnswers } from './memory-cache.ts'
import { KnownChain } from './chain-identity.ts'
import { NodeAnswers } from './request-coalescer.ts'
import { SharedAnswers } from './shared-cache.ts'
import { CredentialHeads } from '../consistency/credential-heads.ts'
import { SharedHeads } from '../consistency/shared-heads.ts'
import type { ChainView } from '../chain/chain-view.ts'
import type { Upstream } from '../upstream/types.ts'

/** What is remembered of the answers of one node. */
export interface NodeMemory {
  readonly chain: KnownChain
  readonly answers: NodeAnswers
}

/** What is remembered of the answers of all nodes beyond the calls that they were for. */
export interface Answers {
  /** Nodes with the same upstreams have it in common. */
  of(upstream: Upstream, grant: NodeGrant): NodeMemory
  readonly heads: CredentialHeads
  /** The same of all replicas. */
  readonly sharedHeads: SharedHeads
  /** Most blocks that a node is asked for logs of at once; any number when it is 0. */
  readonly upstreamLogRange: number
  /** Takes over how answers are asked for and kept from now on. */
  change(settings: AnswersSettings): void
  /** What happened so far, and what is kept at the moment. */
  states(): AnswerStates
}

/** Counters since the start, and the size of what is kept. */
export interface AnswerStates {
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
export interface AnswersSettings {
  /** How long an answer about the newest block may be kept while that is the newest; 0 keeps none. */
  readonly headMs: number
  /** Most blocks that a node is asked for logs of at once; any number when it is 0. */
  readonly upstreamLogRange: number
}

/** What answers are kept with. */
export interface AnswersOptions extends AnswersSettings {
  /** Memory for kept answers; 0 keeps none. */
  readonly maxBytes: number
  /** What is known of the chain behind a node. */
  readonly chainOf: (grant: NodeGrant) => ChainView | undefined
  /** What replicas have in common. */
  readonly store?: BriefStore | undefined
}

/** Makes the memory for the answers of all nodes. */
export function createAnswers(options: AnswersOptions): Answers {
  const { maxBytes, chainOf } = options
  let { headMs, upstreamLogRange } = options
  const { store = new BriefStore(undefined) } = options
  const kept = new KeptAnswers(maxBytes)
  const shared = new SharedAnswers(maxBytes === 0 ? new BriefStore(undefined) : store)
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
      const chain = new KnownChain(upstream, view, address, `${(known += 1)}`)
      const answers = new NodeAnswers({ upstream, chain, kept, shared, counts, headMs: () => headMs })
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
