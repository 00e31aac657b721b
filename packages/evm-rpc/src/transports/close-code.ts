import { FairleadError } from '@fairlead/core'

// Policy violation and message too big; unauthorized and forbidden (IANA registry); a credential that was revoked and a
// rule that forbids the call (codes of the gateway). Another attempt would end the same way.
const final: readonly number[] = [1008, 1009, 3000, 3003, 4401, 4403]

/**
 * Returns whether a connection that ended with this code may be opened again.
 *
 * @see RFC 6455, section 7.4; https://www.iana.org/assignments/websocket/websocket.xhtml
 */
export function mayReconnect(code: number): boolean {
  return !final.includes(code)
}

/** The code of the gateway for an exceeded limit: reconnect, but after a longer delay. */
export const limitExceeded = 4429

/** RFC 6455: the connection ended without a close frame. */
export const abnormalClosure = 1006

/** How a persistent connection ended permanently. */
export interface Ending {
  readonly code: number
  readonly reason: string
}

/** RFC 6455: the purpose of the connection is fulfilled. */
export const closedByCaller: Ending = { code: 1000, reason: 'closed by the caller' }

/** The error of a call that can no longer be sent over any connection. */
export function closedError(operation: string, { code, reason }: Ending): FairleadError<'TRANSPORT_CLOSED'> {
  return new FairleadError('TRANSPORT_CLOSED', { operation, closeCode: code, reason })
}
