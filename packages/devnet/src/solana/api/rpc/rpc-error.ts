/** Codes of errors, as nodes give them. */
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

/** A call that is answered with an error. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  /**
   * @param code one of {@link RpcCode}
   * @param message words for the caller
   * @param data what the error carries beside them
   */
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Makes the error for a transaction whose signatures are not right. */
export function signatureFault(): RpcError {
  return new RpcError(RpcCode.signatureFailure, 'Transaction signature verification failure')
}
