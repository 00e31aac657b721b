/**
 * A pair of callbacks instead of a promise, because a promise costs more than most steps of a call. Exactly one of them
 * is called, once, possibly synchronously. Neither may throw.
 */
export interface Completion<value> {
  resolve(value: value): void
  reject(error: unknown): void
}

/** Starts an operation and returns a promise of its result. */
export function promised<value>(begin: (completion: Completion<value>) => void): Promise<value> {
  return new Promise((resolve, reject) => {
    begin({ resolve, reject })
  })
}

/** Settles a completion when a promise settles. */
export function settleWith<value>(promise: Promise<value>, completion: Completion<value>): void {
  promise.then(
    (value) => completion.resolve(value),
    (error: unknown) => completion.reject(error),
  )
}
