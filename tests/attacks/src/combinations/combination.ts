/** What a client uses. */
export const protocols = [
  'http1',
  'http2',
  'websocket',
  'grpc',
  'grpc-web',
  'sse',
  'platform',
  'console',
] as const

/** What a client repeats. */
export const repetitions = [
  'open',
  'byte',
  'message',
  'item',
  'header',
  'reset',
  'subscription',
  'credential',
  'handshake',
] as const

/** What a client withholds: the end of what it sends, reading, flow-control credit, required responses, a credential. */
export const withholdings = ['end', 'read', 'window', 'answer', 'credential'] as const

export type Protocol = (typeof protocols)[number]
export type Repetition = (typeof repetitions)[number]
export type Withholding = (typeof withholdings)[number]

/** One kind of attack. */
export interface Combination {
  readonly protocol: Protocol
  readonly repeated: Repetition
  readonly withheld: Withholding
}

interface Exclusion {
  readonly matches: (combination: Combination) => boolean
  readonly reason: string
}

const isOneOf =
  (...values: readonly string[]) =>
  (value: string): boolean =>
    values.includes(value)
const hasNoBody = isOneOf('sse', 'console')
const hasSubscriptions = isOneOf('http1', 'http2', 'websocket', 'grpc', 'grpc-web', 'sse')
const isAlwaysHttp1 = isOneOf('http1', 'websocket')

/** The combinations that make no sense. The first exclusion that matches one gives the reason. */
const exclusions: readonly Exclusion[] = [
  {
    matches: ({ protocol, withheld }) => withheld === 'window' && isAlwaysHttp1(protocol),
    reason:
      'HTTP/1.1 has no flow control other than that of TCP, which a client that does not read withholds',
  },
  {
    matches: ({ protocol, withheld }) => withheld === 'answer' && protocol === 'http1',
    reason: 'an HTTP/1.1 server sends nothing that a client has to respond to',
  },
  {
    matches: ({ protocol, withheld }) =>
      withheld === 'answer' && isOneOf('platform', 'console', 'grpc-web')(protocol),
    reason: 'the connection is the same as of http2',
  },
  {
    matches: ({ protocol, repeated, withheld }) =>
      protocol === 'console' && (withheld === 'credential' || repeated === 'credential'),
    reason: 'files of the console need no credential',
  },
  {
    matches: ({ protocol, repeated }) => hasNoBody(protocol) && repeated === 'byte',
    reason: 'its requests have no body; see header for bytes of a head',
  },
  {
    matches: ({ protocol, repeated }) => protocol === 'console' && repeated === 'item',
    reason: 'its requests have no lists',
  },
  {
    matches: ({ protocol, repeated }) => repeated === 'subscription' && !hasSubscriptions(protocol),
    reason: 'it has no subscriptions; webhooks are records, whose number is limited',
  },
  {
    matches: ({ repeated, withheld }) => repeated === 'subscription' && withheld === 'end',
    reason: 'a subscription has no end that a client could withhold; see message for an unfinished request',
  },
  {
    matches: ({ repeated, withheld }) => repeated === 'handshake' && withheld === 'credential',
    reason: 'only the request after a handshake has a credential; a WebSocket without one is open',
  },
  {
    matches: ({ protocol, repeated }) =>
      repeated === 'handshake' && isOneOf('platform', 'console', 'sse', 'grpc-web')(protocol),
    reason: 'the connection is the same as of http1 and http2',
  },
]

/** Returns why a combination is not run. Undefined for one that is. */
export function exclusionOf(combination: Combination): string | undefined {
  return exclusions.find(({ matches }) => matches(combination))?.reason
}

/** All combinations. */
export const allCombinations: readonly Combination[] = protocols.flatMap((protocol) =>
  repetitions.flatMap((repeated) => withholdings.map((withheld) => ({ protocol, repeated, withheld }))),
)

/** The combinations that make sense. */
export const combinations: readonly Combination[] = allCombinations.filter(
  (combination) => exclusionOf(combination) === undefined,
)

export function nameOf({ protocol, repeated, withheld }: Combination): string {
  return `${protocol}:${repeated}:${withheld}`
}
