import type { Logger } from 'pino'

/** Values of the option for logged requests. */
export type LoggedRequests = 'all' | 'failed' | 'none'

const firstServerError = 500

/**
 * Whether a request is logged.
 *
 * @param which - all when omitted
 * @param status - HTTP status
 */
export function isRequestLogged(log: Logger, which: LoggedRequests | undefined, status: number): boolean {
  if (which === 'none' || (which === 'failed' && status < firstServerError)) return false
  return log.isLevelEnabled('info')
}
