import type { IncomingHttpHeaders } from 'node:http'
import { containsSecret } from '../redaction/redact-deep.ts'

const single = new Set(['content-type', 'content-length', 'content-encoding', 'retry-after'])

/**
 * Filters the headers of an upstream response for the client. It removes the headers of the connection, the server
 * software and caching: a cached response would outlive the credential that it was sent for. When an upstream repeats a
 * header that has a single value, the first value counts. A header that would reveal the upstream's URL or credential
 * is removed.
 *
 * @param prefix - prefix of API-specific headers
 */
export function visibleHeaders(
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
  prefix: string | undefined,
): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (containsSecret(String(value), secrets)) return []
      if (single.has(name)) return [[name, [value].flat()[0]]]
      return prefix !== undefined && name.startsWith(prefix) ? [[name, value]] : []
    }),
  )
}
