// SQLSTATE classes and codes of a temporarily unavailable server: connection failures, too many connections, shutdown,
// start-up, and a read-only standby.
const sqlStates = /^(08[0-9A-Z]{3}|53[0-9A-Z]{3}|57P0[1-5]|25006)$/
const socketErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
])
// The drivers set no code on these errors.
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|driver has already been destroyed|PGlite (instance )?is (already )?clos)/

/** Whether an error means that the database is unavailable, rather than that a query is invalid. */
export function isStoreUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isStoreUnavailable)
  const code: unknown = 'code' in error ? error.code : undefined
  if (typeof code === 'string' && (socketErrors.has(code) || sqlStates.test(code))) return true
  return messages.test(error.message) || isStoreUnavailable(error.cause)
}
