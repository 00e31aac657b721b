/** Returns whether a call of this name may have sent a transaction, so that sending it again is not safe. */
export function sendsTransaction(operation: string): boolean {
  return operation.startsWith('eth_send')
}
