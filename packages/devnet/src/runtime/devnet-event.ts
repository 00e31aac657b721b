import type { DevnetError } from './devnet-error.ts'

/**
 * What a development chain reports about itself.
 *
 * @example
 * const onEvent = (event: DevnetEvent) => console.log(`${event.chain} ${event.kind}: ${event.message}`)
 */
export type DevnetEvent = {
  /** Name of the chain, for example `evm`. */
  chain: string
  /** One sentence for a person. */
  message: string
} & (
  | {
      /** An earlier process still uses the data directory. */
      kind: 'waiting'
      /** Process id of the earlier process. */
      pid: number
    }
  | { kind: 'starting' }
  | {
      /** The chain answers calls. */
      kind: 'ready'
      url: string
      /** Milliseconds from the start of the engine to this event. */
      durationMs: number
    }
  | {
      /** A fresh chain has received its sample data. */
      kind: 'seeded'
      /** Milliseconds that the sample data took. */
      durationMs: number
    }
  | { kind: 'output'; line: string }
  | {
      /** The engine ended without being asked. */
      kind: 'exited'
      exitCode: number | null
      signal: string | null
    }
  | {
      /** The engine will be started again. */
      kind: 'restarting'
      /** Milliseconds until the next start. */
      delayMs: number
      /** Failures in a row so far. */
      failures: number
    }
  | {
      /** The state could not be written; the next attempt follows by itself. */
      kind: 'unsaved'
    }
  | {
      /** The engine is given up; nothing restarts it. */
      kind: 'failed'
      error: DevnetError
    }
  | { kind: 'stopping' }
  | { kind: 'stopped' }
)

// A plain Omit would merge the members of the union and lose what belongs to which kind.
type WithoutChain<event> = event extends unknown ? Omit<event, 'chain'> : never

/** Reports an event of one chain. */
export type Report = (event: WithoutChain<DevnetEvent>) => void

/**
 * Makes what a chain reports with.
 *
 * @param chain Name of the chain.
 * @param listener Hears the events; a fault of it is neither swallowed nor taken for one of the chain.
 */
export function reportTo(
  chain: DevnetEvent['chain'],
  listener: ((event: DevnetEvent) => void) | undefined,
): Report {
  return (event) => {
    try {
      listener?.({ chain, ...event })
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
