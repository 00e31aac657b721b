// Exit code that a shell reports for a program that was ended by Ctrl-C.
export const interrupted = 130

/** Thrown when a start is aborted. */
export class Stopped extends Error {}

/**
 * Resolves at the first SIGINT or SIGTERM; a second one exits the process immediately.
 *
 * @param onSignal - called at the first signal
 */
export function listenForShutdown(onSignal: () => void): {
  readonly signal: AbortSignal
  readonly shutdown: Promise<void>
} {
  const controller = new AbortController()
  const shutdown = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.on(name, () => {
        if (controller.signal.aborted) process.exit(interrupted)
        onSignal()
        controller.abort(new Stopped())
        resolve()
      })
    }
  })
  return { signal: controller.signal, shutdown }
}
