/** Error codes of RPC nodes. */
export const RpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParameters: -32602,
  internalError: -32603,
  preflightFailure: -32002,
  signatureFailure: -32003,
  minimumContextSlotNotReached: -32016,
} as const

/** A call that ends with an error response. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  /**
   * @param code one of {@link RpcCode}
   * @param message error text for the caller
   * @param data additional data of the error
   */
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Creates the error for a transaction with invalid signatures. */
export function signatureFault(): RpcError {
  return new RpcError(RpcCode.signatureFailure, 'Transaction signature verification failure')
}
