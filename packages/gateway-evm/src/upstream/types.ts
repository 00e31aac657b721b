import type { CancellationSignal, StallListener } from '@fairlead/http1'
import type { NodeGrant } from '@fairlead/gateway-core/grants/grant'
import type { Awaiter } from '@fairlead/gateway-core/completion'
import type { Room } from '@fairlead/gateway-core/memory/memory-budget'
import type { Connection, PoolMember } from '@fairlead/gateway-core/upstream/upstream'
import type { UpstreamAnswer } from './upstream-response.ts'

/** What a body asks for: its pace, the choice among several addresses and a second attempt depend on it. */
export interface AskedCall {
  readonly method: string
  /** By position. */
  readonly params: readonly unknown[]
  /** Number of a block that the answering address has to have; it is asked of those that have it, if any has. */
  readonly atLeast?: number | undefined
  /** Whose filters the call makes and uses. */
  readonly owner?: string | undefined
  /** Credential of the client; undefined for calls of the gateway itself. */
  readonly credentialId?: string | undefined
  /** The client's batch that the call is one of: calls of one batch may go to a node together. */
  readonly batch?: object | undefined
  /** The id in the body, where nodes give it back as it is. */
  readonly idText?: string | undefined
}

/** Receives the answer of an upstream, and may act when it stalls. */
export type AnswerAwaiter = Awaiter<UpstreamAnswer> & StallListener

/** The HTTP connections to one node. */
export interface Upstream {
  /**
   * Posts a JSON-RPC body.
   *
   * @param body - text to send as it is
   * @param signal - ends the exchange
   * @param asked - the call in the body; without it nothing but a call that never left is sent again
   * @throws {@link UpstreamFailure} with status 502 or 504; the message never says where the node is
   */
  post(body: string, signal: CancellationSignal, asked?: AskedCall): Promise<UpstreamAnswer>
  /** As {@link post}. */
  ask(body: string, signal: CancellationSignal, asked: AskedCall | undefined, awaiter: AnswerAwaiter): void
  /**
   * Calls one method and parses its result.
   *
   * @throws {@link RpcFailure} with the node's error, or as {@link Upstream.post}
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
  room(owner?: string): Room
  /** Is told when the node does not have a method that a call of this grant needs. */
  readonly onRefused?: ((grant: NodeGrant) => void) | undefined
  close(): Promise<void>
}

/** An upstream with connections of its own. */
export type ConnectedUpstream = Upstream & Connection

/** An upstream of a node among the others. */
export type EvmMember = PoolMember<ConnectedUpstream>

/** Stands for a call of which nothing is known. */
export const unknownCall: AskedCall = { method: '', params: [] }
