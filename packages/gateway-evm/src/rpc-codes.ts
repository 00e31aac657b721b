import { jsonRpcCodes } from '@fairlead/gateway-core/json-rpc/rpc-error'

/** Error codes of JSON-RPC 2.0, EIP-1474, EIP-4444 and `eth_simulateV1`. */
export const rpcCodes = {
  ...jsonRpcCodes,
  serverError: -32000,
  resourceNotFound: -32001,
  methodNotSupported: -32004,
  limitExceeded: -32005,
  executionError: -32015,
  /** Code of the gateway that has no other meaning, so that clients show the message. */
  unauthorized: -32041,
  prunedHistory: 4444,
} as const
