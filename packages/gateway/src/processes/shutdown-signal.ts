// Exit code that a shell reports for a program that was ended by Ctrl-C.
export const interrupted = 130

/** Thrown when a start is aborted. */
export class Stopped extends Error {}

/**
 * Resolves at the first SIGINT or SIGTERM; a second one exits the process immediately.
 *
 * @param hear - called at the first signal
 */
export function untilToldToStop(hear: () => void): {
  readonly signal: AbortSignal
  readonly told: Promise<void>
} {
  const controller = new AbortController()
  const told = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.on(name, () => {
        if (controller.signal.aborted) process.exit(interrupted)
        hear()
        controller.abort(new Stopped())
        resolve()
      })
    }
  })
  return { signal: controller.signal, told }
}
