/** Error codes of JSON-RPC 2.0. */
export const jsonRpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const

/** A rejection or failure that is sent as a JSON-RPC error object. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown
  /** HTTP status of a response that contains only this error. */
  readonly status: number
  /** When a retry can succeed. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: number,
    message: string,
    options: {
      readonly data?: unknown
      readonly status?: number
      readonly retryAfterSeconds?: number | undefined
    } = {},
  ) {
    super(message)
    this.code = code
    this.data = options.data
    this.status = options.status ?? 200
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
