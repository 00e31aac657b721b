import type { IncomingHttpHeaders } from 'node:http'

/** Decides which requests the server accepts, and creates the state that it caches for a request head. */
export interface HeadRules<match, headState> {
  /** Parses a request target; undefined when node:http has to serve it. */
  match(target: string): match | undefined
  /** Creates the state of a new head. */
  newHeadState(): headState
}

/** Methods that the server accepts: JSON-RPC calls, and the CORS preflights of browsers. */
export type OrdinaryMethod = 'POST' | 'OPTIONS'

/** The request line and header fields of a request that the server accepts. */
export interface RequestHead<match, headState> {
  readonly method: OrdinaryMethod
  /** Request target, unchanged. */
  readonly target: string
  /** The parsed request target. */
  readonly match: match
  readonly headers: IncomingHttpHeaders
  readonly contentLength: number
  /** State that is cached for all requests with this head. */
  readonly headState: headState
}

/** Maximum length of a head that the server parses; node:http accepts twice as much. */
export const maxHeadLength = 8_192

/** Maximum length of a body that the server reads. */
export const maxBodyLength = 65_536

// Each pattern allows one notation only. RFC 9112 allows more, and servers are known to disagree about these.
const requestLine = /^(POST|OPTIONS) (\/(?:[\w-]{1,128}(?:\/[\w-]{1,128})?)?) HTTP\/1\.1$/
const headerLine = /^([A-Za-z0-9-]{1,64}): ([\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?)$/
const plainLength = /^(?:0|[1-9]\d{0,6})$/
const plainHost = /^(?:[\w.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/
const jsonOrText = /^(?:application\/json|text\/plain)(?: ?; ?charset=[\w-]+)?$/i

// Headers that are read, and headers without meaning for a JSON-RPC call. None of them changes where a message ends.
const knownHeaders = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'access-control-request-headers',
  'access-control-request-method',
  'access-control-request-private-network',
  'authorization',
  'cache-control',
  'cdn-loop',
  'connection',
  'content-length',
  'content-type',
  'dnt',
  'host',
  'keep-alive',
  'origin',
  'pragma',
  'priority',
  'referer',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-request-id',
])

/**
 * Parses the head of an ordinary JSON-RPC call, or of a preflight without a body, in the usual notation.
 *
 * @param text - the head without the empty line at its end, one character per byte
 * @returns undefined for every other head, valid or not: node:http handles those
 */
export function readRequestHead<match, headState>(
  text: string,
  rules: HeadRules<match, headState>,
): RequestHead<match, headState> | undefined {
  const [first = '', ...lines] = text.split('\r\n')
  const [, method, target = ''] = requestLine.exec(first) ?? []
  const match = method === undefined ? undefined : rules.match(target)
  if (match === undefined) return undefined
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, written = '', value = ''] = headerLine.exec(line) ?? []
    const name = written.toLowerCase()
    if (!knownHeaders.has(name) || headers[name] !== undefined) return undefined
    headers[name] = value
  }
  const {
    host = '',
    connection = 'keep-alive',
    'content-length': length = method === 'OPTIONS' ? '0' : '',
    'content-type': type,
  } = headers
  if (!plainHost.test(host) || connection.toLowerCase() !== 'keep-alive' || !plainLength.test(length)) {
    return undefined
  }
  const contentLength = Number(length)
  if (type !== undefined && !jsonOrText.test(type)) return undefined
  if (method === 'OPTIONS' && contentLength > 0) return undefined
  return {
    method: method as OrdinaryMethod,
    target,
    match,
    headers,
    contentLength,
    headState: rules.newHeadState(),
  }
}

/**
 * Whether an incomplete head can still become an ordinary one. Any other head goes to node:http at once, because
 * node:http would parse or reject it by now.
 *
 * @param text - the part of the head that has arrived, one character per byte
 */
export function canBecomeOrdinary(
  text: string,
  { match }: Pick<HeadRules<unknown, unknown>, 'match'>,
): boolean {
  const lines = text.split('\r\n')
  const open = lines.pop() ?? ''
  if (!/^[\x20-\x7E]*\r?$/.test(open)) return false
  const [first, ...rest] = lines
  const target = first === undefined ? undefined : requestLine.exec(first)?.[2]
  if (first !== undefined && (target === undefined || match(target) === undefined)) return false
  return rest.every((line) => headerLine.test(line))
}
