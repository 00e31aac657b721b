import type { RpcError } from './rpc-error.ts'

/** A call with a valid JSON-RPC envelope. */
export interface RpcRequest {
  readonly method: string
  readonly params: readonly unknown[] | Readonly<Record<string, unknown>>
  /** The parameters as the caller wrote them. */
  readonly paramsText: string
  /**
   * The id as the caller wrote it, echoed unchanged; without an id, the call is a notification and gets no response.
   */
  readonly idText: string | undefined
}

/** An element that is not a valid call, with the failure for its response. */
export interface InvalidItem {
  readonly idText: string
  readonly failure: RpcError
}

export type RpcItem = RpcRequest | InvalidItem
