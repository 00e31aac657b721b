import type { IncomingHttpHeaders } from 'node:http'
import { PlatformError } from './platform-error.ts'

/**
 * Refuses a request that a browser makes for a page of another site. A client that is no browser says nothing about sites,
 * and has no cookies that another site could use.
 *
 * @param ownHosts - hosts, with their ports, under which this service is reached
 * @throws {@link PlatformError} `csrf_failed`
 * @see W3C Fetch Metadata Request Headers
 */
export function assertSameSite(headers: IncomingHttpHeaders, ownHosts: readonly string[]): void {
  const site = headers['sec-fetch-site']
  const { origin } = headers
  // Browsers that send the first of the two know better than the second one tells, as proxies change hosts.
  const isOwn =
    site === undefined ? origin === undefined || ownHosts.includes(hostOf(origin)) : site === 'same-origin'
  if (!isOwn) throw new PlatformError('csrf_failed', { message: 'The request comes from another site.' })
}

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : ''
}
