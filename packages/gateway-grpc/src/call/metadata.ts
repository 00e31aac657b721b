import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'

/** Headers as received. */
export interface ReceivedHeaders {
  /** By lower-case name. Repeated headers are joined; of a header that may occur only once, the first value counts. */
  readonly headers: IncomingHttpHeaders
  /** Alternating names and values. */
  readonly raw: readonly string[]
}

// Headers of the connection, not of the call.
const connectionHeaders = [
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'host',
]
const commonHeaders = [...connectionHeaders, 'content-length', 'trailer']

// The client's credential, headers in which a proxy describes the client, and headers of proxies that upstreams trust.
const clientHeaders = new Set([
  ...commonHeaders,
  'x-token',
  'authorization',
  'proxy-authorization',
  'cookie',
  'forwarded',
  'via',
  'x-real-ip',
  'x-subscription-id',
  'x-endpoint',
])

// Headers that a browser sends with every request.
const browserHeaders = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-type',
  'dnt',
  'origin',
  'pragma',
  'priority',
  'referer',
  'user-agent',
  'x-grpc-web',
])

// Headers that would reveal the upstream, or apply to the gateway itself.
const serverHeaders = new Set([
  ...commonHeaders,
  'alt-svc',
  'location',
  'server',
  'set-cookie',
  'strict-transport-security',
  'via',
])

/** Returns the headers of a client's call that are sent to an upstream, without the upstream's credential. */
export function headersForUpstream(
  path: string,
  received: ReceivedHeaders,
  isWeb: boolean,
): OutgoingHttpHeaders {
  const headers = collect(received, (name) => {
    if (clientHeaders.has(name) || name.startsWith('x-forwarded-')) return false
    return !isWeb || !(browserHeaders.has(name) || name.startsWith('sec-'))
  })
  headers[':method'] = 'POST'
  headers[':path'] = path
  headers['te'] = 'trailers'
  if (isWeb) headers['content-type'] = 'application/grpc+proto'
  return headers
}

/** Returns the headers of an upstream response that a client may receive. */
export function headersForClient(received: ReceivedHeaders): OutgoingHttpHeaders {
  return collect(received, (name) => !serverHeaders.has(name) && !name.startsWith('access-control-'))
}

/** Returns the trailers of an upstream response, as far as HTTP/2 allows them. */
export function trailersForClient(received: ReceivedHeaders): OutgoingHttpHeaders {
  return collect(received, (name) => !connectionHeaders.includes(name))
}

/** Repeated entries stay separate entries where that is allowed. */
function collect(
  { headers, raw }: ReceivedHeaders,
  isForwarded: (name: string) => boolean,
): OutgoingHttpHeaders {
  const collected = Object.create(null) as OutgoingHttpHeaders
  for (let index = 0; index < raw.length; index += 2) {
    // HTTP/1.1 preserves the case of names.
    const name = raw[index]?.toLowerCase() ?? ''
    const value = raw[index + 1] ?? ''
    if (name.startsWith(':') || !isForwarded(name)) continue
    const existing = collected[name]
    if (existing === undefined) collected[name] = value
    else if (Array.isArray(existing)) existing.push(value)
    else if (headers[name] !== existing) collected[name] = [String(existing), value]
  }
  return collected
}

/** The value of an entry that may occur once. */
export function firstValue(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}
