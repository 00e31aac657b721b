// The POST operations among them have a list of validators in the body that is too long for a URL. Whether an operation
// reads is not in the specification's data, and the routes would make the client ten times as large.
const reading = /^(GET|HEAD) |^POST \/eth\/v\d+\/(beacon\/(states|rewards)|validator\/(duties|liveness))\//

/** Tells whether a request changes nothing, so that it may be sent any number of times. */
export function isRead(method: string, path: string): boolean {
  return reading.test(`${method} ${path}`)
}
