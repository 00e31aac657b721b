/** A promise with its resolvers; Node.js 20 has no `Promise.withResolvers`. */
export interface Waiter<value> {
  readonly promise: Promise<value>
  readonly resolve: (value: value | PromiseLike<value>) => void
  readonly reject: (reason: unknown) => void
}

export function waiter<value>(): Waiter<value> {
  let resolve: Waiter<value>['resolve'] = () => {}
  let reject: Waiter<value>['reject'] = () => {}
  const promise = new Promise<value>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
