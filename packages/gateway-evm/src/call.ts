import { callText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { CancellationSignal } from '@fairlead/runtime'
import type { MethodPolicy } from './methods/method-policy.ts'
import type { OwnId } from './response/own-id.ts'

/** A JSON-RPC call to an upstream, of a client or of the gateway itself. */
export interface Call {
  readonly method: string
  /** Determines the latency class, the choice of an upstream and retries. */
  readonly policy: MethodPolicy
  /** By position. */
  readonly params: readonly unknown[]
  /** The params as JSON. */
  readonly paramsText: string
  /** The client. Undefined for calls of the gateway itself. */
  readonly grant?: Grant | undefined
  /** Cancels the call. */
  readonly signal: CancellationSignal
  /**
   * Number of a block that the responding upstream must have. The call is sent to an upstream that has it, if there is
   * one.
   */
  readonly minBlock?: number | undefined
  /** The client's batch that contains the call. Calls of one batch may be sent to an upstream together. */
  readonly batch?: object | undefined
}

/** Serializes a call as upstreams receive it. */
export function bodyOf({ method, paramsText }: Call, { text }: OwnId): string {
  return callText(method, paramsText, text)
}
