/**
 * A pair of callbacks in place of a promise, which costs more than most steps of a call do. One of them is called once,
 * maybe at once; neither throws.
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
