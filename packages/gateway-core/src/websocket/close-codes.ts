/** Why the gateway closes a WebSocket. */
export const closeCodes = {
  /** The gateway stops; another replica may be available. */
  restart: 1001,
  /** There was no close frame, or the client does not respond to pings. */
  abnormal: 1006,
  /** The last 100 messages of the client were invalid. */
  invalidMessages: 1008,
  /** A message of the client is longer than its node accepts. */
  tooLong: 1009,
  /** A subscription would have had a gap. */
  gap: 1011,
  /** A handler of this connection failed unexpectedly. */
  internal: 1011,
  /** The node has other upstreams. */
  moved: 1012,
  /** The organization of the client holds too much memory. */
  overloaded: 1013,
  /** Too many bytes wait for a client that does not read them. */
  slowClient: 1013,
  /** The credential is unknown, was revoked or has expired. */
  revoked: 4401,
  /** The node no longer offers this. */
  forbidden: 4403,
  /** A quota is used up, or a limit of the credential or the IP address is reached. */
  limitReached: 4429,
} as const

/**
 * Close code for a rejected handshake of a client that cannot read the HTTP status; undefined when the status is sent
 * instead.
 */
export function closeCodeOfRejection(status: number): number | undefined {
  if (status === 401) return closeCodes.revoked
  return status === 429 ? closeCodes.limitReached : undefined
}

const faults: Readonly<Record<string, number>> = {
  WS_ERR_INVALID_UTF8: 1007,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
  WS_ERR_TOO_MANY_BUFFERED_PARTS: 1008,
}
const protocolError = 1002

/** Close code that the library sends for a protocol error of the client. */
export function codeOfFault(error: Error): number {
  const { code = '' } = error as NodeJS.ErrnoException
  return faults[code] ?? (code.startsWith('WS_ERR') ? protocolError : closeCodes.abnormal)
}

// A normal close, and a close without a code.
const ofClients = [1000, 1005]
const labeledCodes = new Set<number>([
  ...Object.values(closeCodes),
  ...Object.values(faults),
  protocolError,
  ...ofClients,
])

/** The code as a label of a metric: one of a small, fixed set. */
export function closeLabel(code: number): string {
  return labeledCodes.has(code) ? String(code) : 'other'
}
