import { FairleadError } from '@fairlead/core'

// What hands a message to the chain: sendBoc and its siblings, and the v3 operation of that purpose. All others only read,
// whichever method carries them.
const acting = /^\/api\/(v2\/send|v3\/message$)/

// The runtime's words for a connection that was never made, in Node, Deno and Bun. EHOSTUNREACH and ENETUNREACH are not
// among them: a connection that was made can end with them too.
const neverConnected = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|connection ?refused/i

/** Tells whether an operation changes nothing, so that it may be asked for any number of times. */
export function isRead(operation: string): boolean {
  return !acting.test(operation)
}

/** Tells whether it is certain that a request never arrived. */
export function isUnsent(error: unknown): boolean {
  return FairleadError.is(error, 'TRANSPORT_FAILED') && neverConnected.test(error.context.reason)
}
