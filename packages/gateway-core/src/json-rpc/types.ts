import type { RpcError } from './rpc-error.ts'

/** A call that passed the envelope check. */
export interface RpcRequest {
  readonly method: string
  readonly params: readonly unknown[] | Readonly<Record<string, unknown>>
  /** The parameters as the caller wrote them. */
  readonly paramsText: string
  /** The id as the caller wrote it, to be echoed unchanged; without one the call is a notification and gets no answer. */
  readonly idText: string | undefined
}

/** An element that is no call, with the failure to answer it with. */
export interface RefusedItem {
  readonly idText: string
  readonly failure: RpcError
}

export type RpcItem = RpcRequest | RefusedItem
