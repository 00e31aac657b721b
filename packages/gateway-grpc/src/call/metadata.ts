import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'

/** Headers as they came. */
export interface ReceivedHeaders {
  /** By lower-case name; what was sent several times is joined, or the first where it may come once only. */
  readonly headers: IncomingHttpHeaders
  /** Names and values by turns. */
  readonly raw: readonly string[]
}

// Of the connection, not of the call.
const ofConnection = [
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'host',
]
const common = [...ofConnection, 'content-length', 'trailer']

// The credential of the client, what a proxy says of it, and what nodes believe of a proxy.
const ofClient = new Set([
  ...common,
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

// What a browser says in every request.
const ofBrowser = new Set([
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

// What would tell where the node is, or speak for this service.
const ofServer = new Set([
  ...common,
  'alt-svc',
  'location',
  'server',
  'set-cookie',
  'strict-transport-security',
  'via',
])

/** The headers with which a client's call is sent to a node, without what opens the node. */
export function headersForNode(path: string, received: ReceivedHeaders, isWeb: boolean): OutgoingHttpHeaders {
  const headers = collect(received, (name) => {
    if (ofClient.has(name) || name.startsWith('x-forwarded-')) return false
    return !isWeb || !(ofBrowser.has(name) || name.startsWith('sec-'))
  })
  headers[':method'] = 'POST'
  headers[':path'] = path
  headers['te'] = 'trailers'
  if (isWeb) headers['content-type'] = 'application/grpc+proto'
  return headers
}

/** The headers of a node's answer that a client may see. */
export function headersForClient(received: ReceivedHeaders): OutgoingHttpHeaders {
  return collect(received, (name) => !ofServer.has(name) && !name.startsWith('access-control-'))
}

/** The trailers of a node's answer, all that HTTP/2 lets be sent. */
export function trailersForClient(received: ReceivedHeaders): OutgoingHttpHeaders {
  return collect(received, (name) => !ofConnection.includes(name))
}

/** Entries that were sent several times stay several entries, where that is allowed. */
function collect({ headers, raw }: ReceivedHeaders, passes: (name: string) => boolean): OutgoingHttpHeaders {
  const collected = Object.create(null) as OutgoingHttpHeaders
  for (let at = 0; at < raw.length; at += 2) {
    // HTTP/1.1 keeps the case that was sent.
    const name = raw[at]?.toLowerCase() ?? ''
    const value = raw[at + 1] ?? ''
    if (name.startsWith(':') || !passes(name)) continue
    const known = collected[name]
    if (known === undefined) collected[name] = value
    else if (Array.isArray(known)) known.push(value)
    else if (headers[name] !== known) collected[name] = [String(known), value]
  }
  return collected
}

/** The value of an entry that may be sent once. */
export function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}
