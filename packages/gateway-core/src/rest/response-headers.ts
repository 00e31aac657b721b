import type { IncomingHttpHeaders } from 'node:http'
import { holdsSecret } from '../redaction/redact-deep.ts'

const single = new Set(['content-type', 'content-length', 'content-encoding', 'retry-after'])

/**
 * The headers of a node's answer that a client may see. Those of the connection, of the server's make and of its caching
 * stay behind: a kept answer would outlive the credential that it was given for. Where a node repeats one that has a single
 * value, the first counts. One that would tell the node's URL or credential is left out.
 *
 * @param prefix - of the headers that the API has beside those of HTTP
 */
export function visibleHeaders(
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
  prefix: string | undefined,
): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (holdsSecret(String(value), secrets)) return []
      if (single.has(name)) return [[name, [value].flat()[0]]]
      return prefix !== undefined && name.startsWith(prefix) ? [[name, value]] : []
    }),
  )
}
