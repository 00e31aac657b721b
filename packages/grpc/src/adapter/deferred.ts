/** A promise with its resolvers; its rejection never counts as unhandled. */
export interface Deferred<value> {
  readonly promise: Promise<value>
  resolve(value: value): void
  reject(reason: unknown): void
}

export function deferred<value>(): Deferred<value> {
  let settle: Omit<Deferred<value>, 'promise'> | undefined
  const promise = new Promise<value>((resolve, reject) => {
    settle = { resolve, reject }
  })
  promise.catch(() => undefined)
  return { promise, resolve: (value) => settle?.resolve(value), reject: (reason) => settle?.reject(reason) }
}
