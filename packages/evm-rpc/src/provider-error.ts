import { FairleadError } from '@fairlead/core'

/** The codes of EIP-1193 that a node behind this package can cause. */
export const providerErrorCodes = { unauthorized: 4100, unsupportedMethod: 4200, disconnected: 4900 } as const

/**
 * The error of a provider, as in EIP-1193, with the node's own code when the node responded with an error object.
 *
 * @example
 * ```ts
 * provider.request({ method }).catch((error) => {
 *   if (error instanceof ProviderRpcError && error.code === 4900) reconnect()
 *   else throw error
 * })
 * ```
 * @see EIP-1193, section Errors; EIP-1474, section Error codes
 */
export class ProviderRpcError extends Error {
  override readonly name = 'ProviderRpcError'
  declare readonly code: number
  declare readonly data?: unknown

  constructor(
    code: number,
    message: string,
    options: { readonly data?: unknown; readonly cause?: unknown } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    if (options.data !== undefined) this.data = options.data
  }
}

/** Converts an error of this package to the form of EIP-1193; the original error is the `cause`. */
export function providerErrorOf(error: unknown): unknown {
  if (!FairleadError.is(error)) return error
  const cause = error
  if (FairleadError.is(error, 'RPC_ERROR')) {
    const { rpcCode, detail, data } = error.details
    return new ProviderRpcError(rpcCode, detail, { data, cause })
  }
  if (error.code.startsWith('TRANSPORT_')) {
    return new ProviderRpcError(providerErrorCodes.disconnected, error.message, { cause })
  }
  const refused = FairleadError.is(error, 'HTTP_STATUS') && [401, 403].includes(error.details.status)
  return new ProviderRpcError(refused ? providerErrorCodes.unauthorized : -32603, error.message, { cause })
}
