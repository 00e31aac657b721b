import type { MemoryHolder } from './client-memory.ts'

// A client whose requests all fail is not one that makes a mistake.
const maxFailures = 100

// Bad requests, failed authentications, and bodies or parameters that are not valid. JSON-RPC sends its errors with 200.
// Errors of methods are results, and do not count.
const failures = new Set([200, 400, 401, 405, 413, 415, 422])

const failuresKey = Symbol('failures')

interface Connection {
  [failuresKey]?: number
}

/**
 * Counts a rejected request of a connection.
 *
 * @returns whether the last requests of the connection were all rejected, so that it must close
 */
export function recordFailure(request: MemoryHolder, status: number): boolean {
  if (!failures.has(status)) return false
  const connection = connectionOf(request)
  const count = (connection[failuresKey] ?? 0) + 1
  connection[failuresKey] = count
  return count >= maxFailures
}

/** Ends the count of failures: a request of the connection was valid. */
export function recordSuccess(request: MemoryHolder): void {
  const connection = connectionOf(request)
  if (connection[failuresKey]) connection[failuresKey] = 0
}

/** The HTTP/2 connection of a stream, or the connection of a request. */
function connectionOf({ socket, stream }: MemoryHolder): Connection {
  const session = stream === undefined ? undefined : (stream as { readonly session?: object }).session
  return session ?? socket
}
