import { type CallOptions, requireNumber } from '@fairlead/core'
import type { Transport } from '../transport.ts'
import { requireMilliseconds } from './configuration.ts'
import { unref } from './unref.ts'

/** How to find out which node is the best one. */
export interface RankOptions {
  /** Pause between two rounds of pings in milliseconds. Default 10000. */
  readonly intervalMs?: number | undefined
  /** How many of the last outcomes count. Default 10. */
  readonly sampleCount?: number | undefined
  /** What counts how much. Default 0.3 for latency, 0.7 for stability. */
  readonly weights?:
    | { readonly latency?: number | undefined; readonly stability?: number | undefined }
    | undefined
  /** Measures a node: resolves when it is well. Default `eth_chainId` within a second. */
  readonly ping?: ((transport: Transport, options: CallOptions) => Promise<unknown>) | undefined
}

/** The order in which nodes are asked. */
export interface Ranking {
  /** The best one first. Counts as use: a ranking that nobody uses does not ping. */
  order(): readonly Transport[]
  /** A call to a node had an answer, or failed for a reason that lies in the node. */
  record(transport: Transport, isWell: boolean): void
  stop(): void
}

// A node must be better by this much to be put before another, or two that are alike would change places for ever.
const margin = 0.05
const pingTimeoutMs = 1_000

interface Ranked {
  readonly transport: Transport
  /** Of the last calls and pings; true where it was well. */
  readonly outcomes: boolean[]
  /** Of the last pings that were answered, in milliseconds: calls differ too much to be compared. */
  readonly latencies: number[]
}

export function createRanking(transports: readonly Transport[], options: RankOptions): Ranking {
  const { intervalMs = 10_000, sampleCount = 10, weights = {}, ping = askChain } = options
  const { latency = 0.3, stability = 0.7 } = weights
  requireMilliseconds('rank.intervalMs', intervalMs)
  requireNumber('rank.sampleCount', sampleCount, 1)
  requireNumber('rank.weights.latency', latency, 0, 1)
  requireNumber('rank.weights.stability', stability, 0, 1)
  let ranked = transports.map((transport): Ranked => ({ transport, outcomes: [], latencies: [] }))
  let timer: ReturnType<typeof setTimeout> | undefined
  let isUsed = false
  let stopped: AbortController | undefined

  function keep<sample>(samples: sample[], sample: sample): void {
    samples.push(sample)
    if (samples.length > sampleCount) samples.shift()
  }

  async function measure({ transport, outcomes, latencies }: Ranked, signal: AbortSignal): Promise<void> {
    const start = performance.now()
    try {
      await ping(transport, { signal, timeoutMs: pingTimeoutMs })
      keep(outcomes, true)
      keep(latencies, performance.now() - start)
    } catch {
      keep(outcomes, false)
    }
  }

  async function round(): Promise<void> {
    isUsed = false
    stopped ??= new AbortController()
    const { signal } = stopped
    await Promise.all(ranked.map((one) => measure(one, signal)))
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

  // Of a node that nothing is known about the best is assumed; one that never answered a ping has no speed.
  function score({ outcomes, latencies }: Ranked, slowest: number): number {
    if (outcomes.length === 0) return latency + stability
    const speed = latencies.length > 0 ? 1 - average(latencies) / slowest : 0
    return speed * latency + average(outcomes.map(Number)) * stability
  }

  function sort(): void {
    const slowest = Math.max(1, ...ranked.map(({ latencies }) => average(latencies)))
    const scored = ranked.map((one) => ({ one, score: score(one, slowest) }))
    for (let end = scored.length - 1; end > 0; end--) {
      for (let index = 0; index < end; index++) {
        const [better, worse] = [scored[index + 1], scored[index]]
        if (!better || !worse || better.score - worse.score <= margin) continue
        scored[index] = better
        scored[index + 1] = worse
      }
    }
    ranked = scored.map(({ one }) => one)
  }

  return {
    order() {
      isUsed = true
      if (!stopped) void round()
      return ranked.map(({ transport }) => transport)
    },
    record(transport, isWell) {
      const one = ranked.find((candidate) => candidate.transport === transport)
      if (one) keep(one.outcomes, isWell)
      if (!isWell) sort()
    },
    stop() {
      stopped ??= new AbortController()
      stopped.abort()
      clearTimeout(timer)
    },
  }
}

const askChain: NonNullable<RankOptions['ping']> = (transport, options) =>
  transport.request({ method: 'eth_chainId' }, options)

const average = (samples: readonly number[]): number =>
  samples.length > 0 ? samples.reduce((sum, sample) => sum + sample, 0) / samples.length : 0
