import type { DevnetError } from './devnet-error.ts'

/**
 * An event of a development chain.
 *
 * @example
 * const onEvent = (event: DevnetEvent) => console.log(`${event.chain} ${event.kind}: ${event.message}`)
 */
export type DevnetEvent = {
  /** Name of the chain, for example `evm`. */
  chain: string
  /** One readable sentence. */
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
      /** The chain accepts calls. */
      kind: 'ready'
      url: string
      /** Milliseconds from the start of the engine to this event. */
      durationMs: number
    }
  | {
      /** A fresh chain has received its sample data. */
      kind: 'seeded'
      /** Milliseconds that the creation of the sample data took. */
      durationMs: number
    }
  | { kind: 'output'; line: string }
  | {
      /** The engine exited unexpectedly. */
      kind: 'exited'
      exitCode: number | null
      signal: string | null
    }
  | {
      /** The engine will be restarted. */
      kind: 'restarting'
      /** Milliseconds until the next start. */
      delayMs: number
      /** Number of consecutive failures. */
      failures: number
    }
  | {
      /** The state could not be written; the next attempt follows automatically. */
      kind: 'unsaved'
    }
  | {
      /** The engine hangs and is being killed; `exited` follows. */
      kind: 'unresponsive'
    }
  | {
      /** The engine has failed permanently and is not restarted. */
      kind: 'failed'
      error: DevnetError
    }
  | { kind: 'stopping' }
  | { kind: 'stopped' }
)

// A plain Omit would merge the members of the union, so that fields would no longer belong to one kind.
type WithoutChain<event> = event extends unknown ? Omit<event, 'chain'> : never

/** Reports an event of one chain. */
export type Report = (event: WithoutChain<DevnetEvent>) => void

/**
 * Creates the function by which a chain reports its events.
 *
 * @param chain Name of the chain.
 * @param listener Called with the events; its errors are neither suppressed nor treated as errors of the chain.
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
