import { FairleadError } from '@fairlead/core'

// The POST operations among them have a list of validators in the body that is too long for a URL. Whether an operation
// reads is not in the specification's data, and the routes would make the client ten times as large.
const reading = /^(GET|HEAD) |^POST \/eth\/v\d+\/(beacon\/(states|rewards)|validator\/(duties|liveness))\//

// The runtime's words for a connection that was never made, in Node, Deno and Bun. EHOSTUNREACH and ENETUNREACH are not
// among them: a connection that was made can end with them too.
const neverConnected = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|connection ?refused/i

/** Tells whether a request changes nothing, so that it may be sent any number of times. */
export function isRead(method: string, path: string): boolean {
  return reading.test(`${method} ${path}`)
}

/** Tells whether it is certain that a request never arrived. */
export function isUnsent(error: unknown): boolean {
  return FairleadError.is(error, 'TRANSPORT_FAILED') && neverConnected.test(error.context.reason)
}
