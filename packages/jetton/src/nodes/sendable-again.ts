// What hands a message to the chain: sendBoc and its siblings, and the v3 operation of that purpose. All others only read,
// whichever method carries them.
const acting = /^\/api\/(v2\/send|v3\/message$)/

/** Tells whether an operation changes nothing, so that it may be asked for any number of times. */
export function isRead(operation: string): boolean {
  return !acting.test(operation)
}
