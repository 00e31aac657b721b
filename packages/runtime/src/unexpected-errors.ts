import { channel } from 'node:diagnostics_channel'
import { attributeLongTimer, attributeTick, type TickSource } from './long-ticks.ts'

/** Where an unexpected error was caught. */
export type ErrorSource = Exclude<TickSource, 'platform' | 'other'>

/** The message of the channel `fairlead:unexpected-error`. */
export interface UnexpectedError {
  readonly source: ErrorSource
  readonly error: unknown
  readonly requestId: string | undefined
}

export const unexpectedErrors = channel('fairlead:unexpected-error')

/**
 * Reports an error that no handler expected. Guards call it instead of letting the error end the process.
 *
 * @param source - the guard that caught the error
 * @param requestId - id of the request that failed because of the error, if there is one
 */
export function reportUnexpected(source: ErrorSource, error: unknown, requestId?: string): void {
  unexpectedErrors.publish({ source, error, requestId } satisfies UnexpectedError)
}

/**
 * Wraps an event handler so that an error it throws affects only its own event. A long tick is attributed to its source.
 *
 * @param recover - ends the request or connection of the event; returns the id of the request, for the log
 */
export function guarded<args extends EventArguments>(
  source: ErrorSource,
  handle: (...args: args) => unknown,
  recover?: (...args: args) => unknown,
): (...args: args) => void
export function guarded(source: ErrorSource, handle: EventHandler, recover?: EventHandler): EventHandler {
  // An array of the arguments of each event would cost more than the rest of the guard.
  return (first, second, third, fourth) => {
    // Timers that were due during a long tick run before its detection: they would take its place.
    if (source !== 'timer') attributeTick(source)
    try {
      handle(first, second, third, fourth)
    } catch (error) {
      reportUnexpected(source, error, recovered(source, recover, [first, second, third, fourth]))
    }
  }
}

/** The arguments of an event that {@link guarded} can wrap. */
export type EventArguments = readonly [unknown?, unknown?, unknown?, unknown?]
type EventHandler = (...args: EventArguments) => unknown

function recovered(
  source: ErrorSource,
  recover: EventHandler | undefined,
  args: EventArguments,
): string | undefined {
  try {
    const requestId = recover?.(...args)
    return typeof requestId === 'string' ? requestId : undefined
  } catch (error) {
    reportUnexpected(source, error)
    return undefined
  }
}

/** `setInterval` whose callback cannot end the process. */
export function guardedInterval(run: () => unknown, ms: number): NodeJS.Timeout {
  return setInterval(guarded('timer', attributeLongTimer(run)), ms)
}

/** `setTimeout` whose callback cannot end the process. */
export function guardedTimeout(run: () => unknown, ms: number): NodeJS.Timeout {
  return setTimeout(guarded('timer', attributeLongTimer(run)), ms)
}

/** `setImmediate` whose callback cannot end the process. */
export function guardedImmediate(run: () => unknown): NodeJS.Immediate {
  return setImmediate(guarded('timer', run))
}
