import type { IncomingHttpHeaders } from 'node:http'
import { PlatformError } from './platform-error.ts'

/**
 * Rejects a request that a browser sends for a page of another site. Clients other than browsers send no such headers,
 * and have no cookies that another site could use.
 *
 * @param gatewayHosts - hosts of the gateway, with their ports
 * @throws {@link PlatformError} `csrf_failed`
 * @see W3C Fetch Metadata Request Headers
 */
export function assertSameSite(headers: IncomingHttpHeaders, gatewayHosts: readonly string[]): void {
  const site = headers['sec-fetch-site']
  const { origin } = headers
  // Sec-Fetch-Site takes precedence over Origin where the browser sends it, because proxies can change the host.
  const isSameSite =
    site === undefined
      ? origin === undefined || gatewayHosts.includes(hostOf(origin))
      : site === 'same-origin'
  if (!isSameSite) throw new PlatformError('csrf_failed', { message: 'The request comes from another site.' })
}

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : ''
}
