/**
 * Whoever waits for something that may be at hand at once: it hears once, and never throws. A call is handed on
 * by these, as a promise for each step costs more than most steps do.
 */
export interface Completion<value> {
  resolve(value: value): void
  reject(error: unknown): void
}

/** Begins something, and promises what it comes to. */
export function promised<value>(begin: (completion: Completion<value>) => void): Promise<value> {
  return new Promise((resolve, reject) => {
    begin({ resolve, reject })
  })
}

/** Settles a completion as a promise settles. */
export function settleWith<value>(promise: Promise<value>, completion: Completion<value>): void {
  promise.then(
    (value) => completion.resolve(value),
    (error: unknown) => completion.reject(error),
  )
}
