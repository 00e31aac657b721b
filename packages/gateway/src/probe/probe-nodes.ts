import type { Logger } from 'pino'
import { gatewayGrant } from '@fairlead/gateway-core/grants/grant'
import type {
  MethodAvailabilityStore,
  MethodProber,
  NodeToProbe,
} from '@fairlead/gateway-core/protocol/method-availability'
import { type Change, UpstreamIdentities } from '@fairlead/gateway-core/protocol/upstream-identity'

/** Dependencies and settings of {@link startNodeProbe}. */
export interface NodeProbeParts {
  readonly store: MethodAvailabilityStore
  /** Probers of the protocols that have one. */
  readonly probers: readonly MethodProber[]
  readonly log: Logger
  /** Whether to probe without a request. */
  readonly enabled: boolean
  /** Whether to probe at startup and once a day, and not only after a rejection; true when omitted. */
  readonly isScheduled?: boolean | undefined
  /**
   * How often the identities of the upstreams are compared with the previous ones, in milliseconds; a minute when
   * omitted.
   */
  readonly checkMs?: number
}

/** Detects which methods nodes offer. */
export interface NodeProbe {
  /** Probes a node soon, regardless of what is recorded. */
  request(nodeId: string): void
  /** Reports that an upstream rejected a method that is recorded as offered. */
  methodRejected(nodeId: string): void
  /** Stops probing, and resolves when no probe is in progress. */
  end(): Promise<void>
}

const minuteMs = 60_000
const maxAgeMinutes = 24 * 60
// Another replica, or this gateway before a restart, may have probed just now; upstreams may have changed meanwhile.
const maxAgeAtStartMinutes = 10
// After startup, which probes must not slow down.
const firstDelayMs = 1_500
// Clients can cause rejections as often as they like.
const rejectionIntervalMs = 10 * minuteMs
// A node that cannot be probed stays due.
const retryIntervalMs = 5 * minuteMs
const identityTimeoutMs = 5_000
const concurrency = 4

/**
 * Probes the nodes whose protocol has a prober. Each node is probed at startup and once a day, when another client
 * software or the same one with other namespaces responds, when an upstream was unavailable, and when an upstream
 * rejects a method that is recorded as offered. The recorded results are removed as soon as the identity of the
 * upstream changes. A node that cannot be probed keeps its recorded results.
 */
export function startNodeProbe(parts: NodeProbeParts): NodeProbe {
  const probe = new ConfiguredNodeProbe(parts)
  if (parts.enabled && (parts.isScheduled ?? true)) probe.begin()
  return probe
}

class ConfiguredNodeProbe implements NodeProbe {
  readonly #parts: NodeProbeParts
  readonly #ended = new AbortController()
  readonly #identities = new UpstreamIdentities()
  /** In the order of the requests. */
  readonly #queue = new Set<string>()
  readonly #inFlight = new Map<string, Promise<void>>()
  readonly #rejectedAt = new Map<string, number>()
  readonly #triedAt = new Map<string, number>()
  #round: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #isFirst = true

  constructor(parts: NodeProbeParts) {
    this.#parts = parts
  }

  begin(): void {
    this.#later(firstDelayMs)
  }

  request(nodeId: string): void {
    if (this.#ended.signal.aborted) return
    this.#queue.add(nodeId)
    this.#work()
  }

  methodRejected(nodeId: string): void {
    if (!this.#parts.enabled || this.#inFlight.has(nodeId)) return
    const now = performance.now()
    if (now - (this.#rejectedAt.get(nodeId) ?? -Infinity) < rejectionIntervalMs) return
    this.#rejectedAt.set(nodeId, now)
    this.request(nodeId)
  }

  async end(): Promise<void> {
    this.#ended.abort()
    clearTimeout(this.#timer)
    await Promise.all([this.#round, ...this.#inFlight.values()])
  }

  #later(ms: number): void {
    if (this.#ended.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#round = this.#check()
        .catch((error: unknown) => {
          if (!this.#ended.signal.aborted) this.#parts.log.error({ err: error }, 'nodes could not be probed')
        })
        .finally(() => this.#later(this.#parts.checkMs ?? minuteMs))
    }, ms).unref()
  }

  /** Compares the identity of each node's upstream with the previous one. */
  async #check(): Promise<void> {
    const { store } = this.#parts
    const nodes = await store.nodes(this.#isFirst ? maxAgeAtStartMinutes : maxAgeMinutes)
    const ids = new Set(nodes.map(({ nodeId }) => nodeId))
    this.#identities.removeExcept(ids)
    for (const times of [this.#rejectedAt, this.#triedAt]) {
      for (const nodeId of times.keys()) if (!ids.has(nodeId)) times.delete(nodeId)
    }
    const queue = [...nodes]
    const work = async () => {
      for (let node = queue.shift(); node; node = queue.shift()) {
        this.#ended.signal.throwIfAborted()
        // The running probe reads the identity itself.
        if (this.#inFlight.has(node.nodeId)) continue
        const prober = this.#proberOf(node)
        if (!prober) continue
        const isEmbedded = this.#isFirst && node.upstreams[prober.recordName] === 'devnet'
        if ((await this.#changeOf(node, prober)) === 'changed') {
          await store.delete(node.nodeId)
          this.request(node.nodeId)
        } else if (isEmbedded || (node.isDue && !this.#wasJustTried(node.nodeId))) this.request(node.nodeId)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    this.#isFirst = false
  }

  #wasJustTried(nodeId: string): boolean {
    return performance.now() - (this.#triedAt.get(nodeId) ?? -Infinity) < retryIntervalMs
  }

  #proberOf({ upstreams }: NodeToProbe): MethodProber | undefined {
    return this.#parts.probers.find(({ recordName }) => upstreams[recordName] !== undefined)
  }

  async #changeOf(node: NodeToProbe, prober: MethodProber): Promise<Change> {
    const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(identityTimeoutMs)])
    const identities = await prober.identify(gatewayGrant(node), signal)
    this.#ended.signal.throwIfAborted()
    return this.#identities.observe(node.nodeId, node.upstreams[prober.recordName] ?? '', identities)
  }

  #work(): void {
    for (const nodeId of this.#queue) {
      if (this.#inFlight.size >= concurrency) return
      // A request during a probe starts when that probe ends: it may concern a change after the probe began.
      if (this.#inFlight.has(nodeId)) continue
      this.#queue.delete(nodeId)
      const probed = this.#probe(nodeId).finally(() => {
        this.#inFlight.delete(nodeId)
        this.#work()
      })
      this.#inFlight.set(nodeId, probed)
    }
  }

  async #probe(nodeId: string): Promise<void> {
    const { store, log } = this.#parts
    const { signal } = this.#ended
    this.#triedAt.set(nodeId, performance.now())
    try {
      const [node] = await store.nodes(maxAgeMinutes, nodeId)
      const prober = node && this.#proberOf(node)
      if (!node || !prober || signal.aborted) return
      await prober.probe(node, store, () => this.#changeOf(node, prober), signal)
    } catch (error) {
      if (!signal.aborted) log.error({ err: error, node_id: nodeId }, 'nodes could not be probed')
    }
  }
}
