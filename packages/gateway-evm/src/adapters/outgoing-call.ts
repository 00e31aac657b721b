import type { RpcResponse } from '../response/rpc-response.ts'
import type { CancellationSignal, Completion } from '@fairlead/runtime'
import type { Sendable } from '../cache/request-coalescer.ts'
import type { ResolvedMethod } from '../methods/resolve-method.ts'
import type { ClientCall } from '../rpc-call.ts'
import type { UpstreamResponse } from '../response/upstream-response.ts'
import type { Upstream } from '../upstream/types.ts'
import { sendToUpstream } from './send-to-upstream.ts'

/** A call and its resolved method, ready to send to the upstream. */
export class OutgoingCall implements Sendable {
  readonly #call: ClientCall
  readonly #destination: ResolvedMethod
  readonly #upstream: Upstream
  readonly #minBlock: number | undefined

  /** @param minBlock - number of a block that the responding upstream must have */
  constructor(
    call: ClientCall,
    destination: ResolvedMethod,
    upstream: Upstream,
    minBlock: number | undefined,
  ) {
    this.#call = call
    this.#destination = destination
    this.#upstream = upstream
    this.#minBlock = minBlock
  }

  get version(): number | undefined {
    return this.#upstream.list?.version
  }

  send(signal: CancellationSignal, completion: Completion<RpcResponse | UpstreamResponse>): void {
    const call = signal === this.#call.signal ? this.#call : { ...this.#call, signal }
    sendToUpstream(call, this.#destination, this.#upstream, this.#minBlock, completion)
  }
}
