import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Runs what belongs to no call in particular, such as a connection that all share: nothing in it is taken for a part of
 * the trace of the call that happened to come first.
 */
export const runDetached: <result>(run: () => result) => result = AsyncLocalStorage.snapshot()
