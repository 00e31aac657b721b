/**
 * Whoever waits for something that may be at hand at once: it hears once, and never throws. The stations hand a call on
 * by these, as a promise for each station costs more than most stations do.
 */
export interface Awaiter<value> {
  resolve(value: value): void
  reject(error: unknown): void
}

/** Begins something, and promises what its awaiter will hear. */
export function promised<value>(begin: (awaiter: Awaiter<value>) => void): Promise<value> {
  return new Promise((resolve, reject) => {
    begin({ resolve, reject })
  })
}

/** Tells an awaiter what a promise comes to. */
export function tell<value>(promise: Promise<value>, awaiter: Awaiter<value>): void {
  promise.then(
    (value) => awaiter.resolve(value),
    (error: unknown) => awaiter.reject(error),
  )
}
