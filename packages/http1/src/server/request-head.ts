import type { IncomingHttpHeaders } from 'node:http'

/** Decides which requests the server takes, and creates the state that it caches for a request head. */
export interface HeadRules<match, headState> {
  /** Parses a request target; undefined when node:http has to serve it. */
  match(target: string): match | undefined
  /** Creates the state of a new head. */
  newHeadState(): headState
}

/** Methods that the server takes: calls, and the preflights of browsers. */
export type OrdinaryMethod = 'POST' | 'OPTIONS'

/** The head of a request that the server takes. */
export interface RequestHead<match, headState> {
  readonly method: OrdinaryMethod
  /** Request target as it came. */
  readonly target: string
  /** The same, taken apart. */
  readonly match: match
  readonly headers: IncomingHttpHeaders
  readonly contentLength: number
  /** For what is found out about requests with this head. */
  readonly headState: headState
}

/** Longest head that is looked at; node:http takes twice as much. */
export const longestHead = 8_192

/** Longest body that the server reads. */
export const longestBody = 65_536

// One way to write things each: RFC 9112 allows more, and where it does, servers have been found to disagree.
const requestLine = /^(POST|OPTIONS) (\/(?:[\w-]{1,128}(?:\/[\w-]{1,128})?)?) HTTP\/1\.1$/
const headerLine = /^([A-Za-z0-9-]{1,64}): ([\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?)$/
const plainLength = /^(?:0|[1-9]\d{0,6})$/
const plainHost = /^(?:[\w.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/
const jsonOrText = /^(?:application\/json|text\/plain)(?: ?; ?charset=[\w-]+)?$/i

// Those that are read, and those that mean nothing to a JSON-RPC call. None changes where a message ends.
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
 * Reads a request head when it is one of an ordinary JSON-RPC call or of a preflight without a body, written in the ordinary
 * way.
 *
 * @param text - the head without the empty line at its end, a character for each byte
 * @returns undefined for every other head, be it right or wrong: those are for node:http
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
 * Tells whether the beginning of a head can still become an ordinary one, so that nothing else waits here for a head that
 * node:http would have understood, or refused, by now.
 *
 * @param text - what has come of the head, a character for each byte
 */
export function canBecomeOrdinary(
  text: string,
  { match }: Pick<HeadRules<unknown, unknown>, 'match'>,
): boolean {
  const lines = text.split('\r\n')
  const open = lines.pop() ?? ''
  if (!/^[\x20-\x7E]*\r?$/.test(open)) return false
  const [first, ...others] = lines
  const target = first === undefined ? undefined : requestLine.exec(first)?.[2]
  if (first !== undefined && (target === undefined || match(target) === undefined)) return false
  return others.every((line) => headerLine.test(line))
}
