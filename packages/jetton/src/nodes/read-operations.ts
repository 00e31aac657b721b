// Operations that send a message to the chain: sendBoc and similar methods, and the v3 operation for it. All others
// only read, with any HTTP method.
const stateChanging = /^\/api\/(v2\/send|v3\/message$)/

/** Returns whether an operation changes no state, so that it can be repeated any number of times. */
export function isRead(operation: string): boolean {
  return !stateChanging.test(operation)
}
