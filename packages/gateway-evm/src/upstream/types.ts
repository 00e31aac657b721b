import type { CancellationSignal } from '@fairlead/http1'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { ResponseCompletion } from '@fairlead/gateway-core/upstream/attempt'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-budget'
import type { PoolMember } from '@fairlead/gateway-core/upstream/pool-member'
import type { Connection } from '@fairlead/gateway-core/upstream/upstream'
import type { UpstreamResponse } from './upstream-response.ts'

/** What a body asks for: its pace, the choice among several addresses and a second attempt depend on it. */
export interface CallInfo {
  readonly method: string
  /** By position. */
  readonly params: readonly unknown[]
  /** Number of a block that the answering address has to have; it is asked of those that have it, if any has. */
  readonly minBlock?: number | undefined
  /** Whose filters the call makes and uses. */
  readonly owner?: string | undefined
  /** Credential of the client; undefined for calls of the gateway itself. */
  readonly credentialId?: string | undefined
  /** The client's batch that the call is one of: calls of one batch may go to a node together. */
  readonly batch?: object | undefined
  /** The id in the body, where nodes give it back as it is. */
  readonly idText?: string | undefined
}

/** The HTTP connections to one node. */
export interface Upstream {
  /**
   * Posts a JSON-RPC body.
   *
   * @param body - text to send as it is
   * @param signal - ends the exchange
   * @param asked - the call in the body; without it nothing but a call that never left is sent again
   * @throws {@link UpstreamError} with status 502 or 504; the message never says where the node is
   */
  post(body: string, signal: CancellationSignal, asked?: CallInfo): Promise<UpstreamResponse>
  /** As {@link post}. */
  send(
    body: string,
    signal: CancellationSignal,
    asked: CallInfo | undefined,
    completion: ResponseCompletion<UpstreamResponse>,
  ): void
  /**
   * Calls one method and parses its result.
   *
   * @throws {@link RpcError} with the node's error, or as {@link Upstream.post}
   */
  call(method: string, params: readonly unknown[], signal: CancellationSignal): Promise<unknown>
  /**
   * Calls several methods side by side; the results stand in the order of the calls. They are not sent as a JSON-RPC
   * batch, which some nodes limit and others refuse.
   */
  batch(
    calls: readonly (readonly [method: string, params: readonly unknown[]])[],
    signal: CancellationSignal,
  ): Promise<unknown[]>
  /** Memory for what one request holds of this node's answers; to be emptied when they have left. */
  reserve(owner?: string): Reservation
  /** Is told when the node does not have a method that a call of this grant needs. */
  readonly onRefused?: ((grant: Grant) => void) | undefined
  close(): Promise<void>
}

/** An upstream with connections of its own. */
export type ConnectedUpstream = Upstream & Connection

/** An upstream of a node among the others. */
export type PooledUpstream = PoolMember<ConnectedUpstream>

/** Stands for a call of which nothing is known. */
export const unknownCall: CallInfo = { method: '', params: [] }
