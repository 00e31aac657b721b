import { callText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { CancellationSignal } from '@fairlead/runtime'
import type { MethodPolicy } from './methods/method-policy.ts'

/** A JSON-RPC call to an upstream, of a client or of the gateway itself. */
export interface Call {
  readonly method: string
  /** Determines the latency class, the choice of an upstream and retries. */
  readonly policy: MethodPolicy
  /** By position. */
  readonly params: readonly unknown[]
  /** The params as JSON. */
  readonly paramsText: string
  /** The id that the upstream receives, if upstreams return it unchanged. */
  readonly idText?: string | undefined
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
export function bodyOf({ method, paramsText, idText = '1' }: Call): string {
  return callText(method, paramsText, idText)
}

/**
 * Returns the id of a client's call when upstreams return it unchanged, and undefined otherwise. They return other ids
 * with fewer digits, as another number, or not at all.
 */
export function returnedId(idText: string): string | undefined {
  return isSmallNumber(idText) || unchangedIds.test(idText) ? idText : undefined
}

const unchangedIds = /^(?:0|[1-9]\d{0,14}|"[\w .:-]{0,64}")$/

// Most ids are small numbers. This check avoids the regular expression.
function isSmallNumber(text: string): boolean {
  const first = text.charCodeAt(0)
  if (text.length > 9 || !(first > zero && first <= nine)) return false
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < zero || code > nine) return false
  }
  return true
}

const zero = 0x30
const nine = 0x39
