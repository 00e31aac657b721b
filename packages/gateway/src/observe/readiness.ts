import { type DependencyState, describeOutage } from './dependency-states.ts'

/** Inputs of {@link createReadinessCheck}. */
export interface ReadinessParts {
  isDraining(): boolean
  /** Rejects when an embedded chain does not respond, or after a timeout. */
  checkChains(): Promise<void>
  /** States of the dependencies without which calls are still served. */
  dependencies(): readonly DependencyState[]
}

/** Whether the gateway serves calls. */
export interface Readiness {
  readonly isReady: boolean
  /** First `ready` or the reason why not, then a line for each unavailable dependency. */
  readonly lines: readonly string[]
}

/**
 * Creates the readiness check. A running gateway has loaded its credentials and serves calls from memory, so an outage
 * of the database or of the shared store does not make it unready: every replica would lose its traffic at once.
 */
export function createReadinessCheck(parts: ReadinessParts): () => Promise<Readiness> {
  let inFlight: Promise<string | undefined> | undefined
  // Concurrent requests share one check of the chains.
  const problemOfChains = () =>
    (inFlight ??= parts
      .checkChains()
      .then(
        () => undefined,
        () => 'an embedded chain does not respond',
      )
      .finally(() => (inFlight = undefined)))
  return async () => {
    const problem = parts.isDraining() ? 'the gateway is shutting down' : await problemOfChains()
    const outages = parts.dependencies().flatMap((state) => describeOutage(state) ?? [])
    return { isReady: problem === undefined, lines: [problem ?? 'ready', ...outages] }
  }
}
