import { type CallOptions, requireNumber } from '@fairlead/core'
import type { Transport } from '../transport.ts'
import { requireMilliseconds } from './configuration.ts'
import { unref } from './unref.ts'

/** How the best node is determined. */
export interface RankOptions {
  /** Interval between two rounds of pings in milliseconds. Default 10000. */
  readonly intervalMs?: number | undefined
  /** Number of recent outcomes that count. Default 10. */
  readonly sampleCount?: number | undefined
  /** Weights of the score. Default 0.3 for latency, 0.7 for stability. */
  readonly weights?:
    | { readonly latency?: number | undefined; readonly stability?: number | undefined }
    | undefined
  /** Measures a node: resolves when it is healthy. Default `eth_chainId` within a second. */
  readonly ping?: ((transport: Transport, options: CallOptions) => Promise<unknown>) | undefined
}

/** The order in which nodes are used. */
export interface Ranking {
  /** The best one first. Counts as use: an unused ranking does not ping. */
  order(): readonly Transport[]
  /** Records that a call to a node got a response, or failed for a reason that lies in the node. */
  record(transport: Transport, isHealthy: boolean): void
  stop(): void
}

// A node must be better by this margin to move before another one. Otherwise two similar nodes would swap places
// forever.
const margin = 0.05
const pingTimeoutMs = 1_000

interface Ranked {
  readonly transport: Transport
  /** Outcomes of the last calls and pings; true when the node was healthy. */
  readonly outcomes: boolean[]
  /** Latencies of the last successful pings, in milliseconds. Calls differ too much to be compared. */
  readonly latencies: number[]
}

export function createRanking(transports: readonly Transport[], options: RankOptions): Ranking {
  const { intervalMs = 10_000, sampleCount = 10, weights = {}, ping = pingChain } = options
  const { latency = 0.3, stability = 0.7 } = weights
  requireMilliseconds('rank.intervalMs', intervalMs)
  requireNumber('rank.sampleCount', sampleCount, 1)
  requireNumber('rank.weights.latency', latency, 0, 1)
  requireNumber('rank.weights.stability', stability, 0, 1)
  let ranked = transports.map((transport): Ranked => ({ transport, outcomes: [], latencies: [] }))
  let timer: ReturnType<typeof setTimeout> | undefined
  let isUsed = false
  let stopped: AbortController | undefined

  function addSample<sample>(samples: sample[], sample: sample): void {
    samples.push(sample)
    if (samples.length > sampleCount) samples.shift()
  }

  async function measure({ transport, outcomes, latencies }: Ranked, signal: AbortSignal): Promise<void> {
    const start = performance.now()
    try {
      await ping(transport, { signal, timeoutMs: pingTimeoutMs })
      addSample(outcomes, true)
      addSample(latencies, performance.now() - start)
    } catch {
      addSample(outcomes, false)
    }
  }

  async function round(): Promise<void> {
    isUsed = false
    stopped ??= new AbortController()
    const { signal } = stopped
    await Promise.all(ranked.map((entry) => measure(entry, signal)))
    sort()
    if (signal.aborted) return
    timer = setTimeout(next, intervalMs)
    unref(timer)
  }

  function next(): void {
    timer = undefined
    if (isUsed) void round()
    else stopped = undefined
  }

  // A node without outcomes gets the best score; one that never responded to a ping gets no latency score.
  function score({ outcomes, latencies }: Ranked, slowest: number): number {
    if (outcomes.length === 0) return latency + stability
    const speed = latencies.length > 0 ? 1 - average(latencies) / slowest : 0
    return speed * latency + average(outcomes.map(Number)) * stability
  }

  function sort(): void {
    const slowest = Math.max(1, ...ranked.map(({ latencies }) => average(latencies)))
    const scored = ranked.map((entry) => ({ entry, score: score(entry, slowest) }))
    for (let last = scored.length - 1; last > 0; last--) {
      for (let index = 0; index < last; index++) {
        const [better, worse] = [scored[index + 1], scored[index]]
        if (!better || !worse || better.score - worse.score <= margin) continue
        scored[index] = better
        scored[index + 1] = worse
      }
    }
    ranked = scored.map(({ entry }) => entry)
  }

  return {
    order() {
      isUsed = true
      if (!stopped) void round()
      return ranked.map(({ transport }) => transport)
    },
    record(transport, isHealthy) {
      const entry = ranked.find((candidate) => candidate.transport === transport)
      if (entry) addSample(entry.outcomes, isHealthy)
      if (!isHealthy) sort()
    },
    stop() {
      stopped ??= new AbortController()
      stopped.abort()
      clearTimeout(timer)
    },
  }
}

const pingChain: NonNullable<RankOptions['ping']> = (transport, options) =>
  transport.request({ method: 'eth_chainId' }, options)

const average = (samples: readonly number[]): number =>
  samples.length > 0 ? samples.reduce((sum, sample) => sum + sample, 0) / samples.length : 0
