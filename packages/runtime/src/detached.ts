import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Runs code that belongs to no particular call, such as a connection that many calls share. Its spans do not become
 * part of the trace of the call that happened to start it.
 */
export const runDetached: <result>(run: () => result) => result = AsyncLocalStorage.snapshot()
