import type { Completion } from '@fairlead/runtime'
import { RecordedCall } from '@fairlead/gateway-core/upstream/recorded-call'
import type { Call } from '../call.ts'
import { malformed, rateLimited } from '../response/rpc-errors.ts'
import { rejectWith } from '../response/unusual-response.ts'
import type { UpstreamResponse } from '../response/upstream-response.ts'
import type { PooledUpstream } from './types.ts'

/** A call of a node with one upstream. */
export class SingleUpstreamCall extends RecordedCall<UpstreamResponse> {
  readonly #call: Call

  constructor({ upstream }: PooledUpstream, call: Call, completion: Completion<UpstreamResponse>) {
    super(upstream, call.policy.latencyClass, completion)
    this.#call = call
  }

  override resolve(response: UpstreamResponse): void {
    // Most responses are results, which need no classification.
    const responseClass = response.isBufferedResult ? 'good' : response.classify(this.#call)
    if (responseClass === 'busy') super.reject(rateLimited())
    else if (responseClass === 'unreadable') super.reject(malformed())
    else super.resolve(response)
  }

  protected override fail(error: unknown): void {
    rejectWith(error, this.completion)
  }
}
