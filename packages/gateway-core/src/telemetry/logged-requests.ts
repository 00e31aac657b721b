import type { Logger } from 'pino'

/** Requests that get a line in the log, as the option says. */
export type LoggedRequests = 'all' | 'failed' | 'none'

const firstServerError = 500

/**
 * Tells whether a request gets a line in the log.
 *
 * @param which - all when left out
 * @param status - of HTTP
 */
export function isRequestLogged(log: Logger, which: LoggedRequests | undefined, status: number): boolean {
  if (which === 'none' || (which === 'failed' && status < firstServerError)) return false
  return log.isLevelEnabled('info')
}
