import type { CancellationSignal, Tenant } from '@fairlead/runtime'
import type { ClassifiedResponse, ResponseCompletion } from '@fairlead/gateway-core/upstream/attempt'
import type {
  CallProgress,
  Decision,
  FailoverCallSettings,
} from '@fairlead/gateway-core/upstream/failover-settings'
import type { Idempotency } from '@fairlead/gateway-core/upstream/idempotency'
import type { LatencyClass } from '@fairlead/gateway-core/upstream/latency'
import type { CallRequirements } from '@fairlead/gateway-core/upstream/select-upstream'
import { headIn, readsLatestBlock } from '../consistency/latest-block.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import { divideRange } from '../consistency/ranges/range-limit-error.ts'
import { callRequirements, type ChainHeads } from './call-requirements.ts'
import type { ResponseClass } from '../response/classify-response.ts'
import { transactionHash } from './raw-transaction.ts'
import { malformed, rateLimited } from '../response/rpc-errors.ts'
import type { Call } from '../call.ts'
import type { ConnectedUpstream, PooledUpstream } from './types.ts'
import { upstreamOf } from './upstream-calls.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'

/** Class of a response that is not a failure of its upstream. */
export type AcceptableClass = Exclude<ResponseClass, 'busy' | 'unreadable'>

const minSlowAfterMs = 1_000

/** Receives the numbers of blocks that upstreams return. */
interface BlockListener {
  onBlock(member: PooledUpstream, number: number): void
}

/** A call at several upstreams. It decides which of them may have a better response than a received one. */
export class EvmCall implements FailoverCallSettings<ConnectedUpstream, UpstreamResponse, AcceptableClass> {
  readonly call: Call
  readonly tenant: Tenant | undefined
  readonly signal: CancellationSignal
  /** The only upstream that has the filter of the call. */
  readonly owner: PooledUpstream | undefined
  readonly latencyClass: LatencyClass
  readonly resending: Idempotency
  readonly slowAfterMs: number
  /** Requirements on the upstream. Responses may raise them. */
  needs: CallRequirements
  readonly #blocks: BlockListener

  /**
   * @param call - the call
   * @param signal - cancels the exchange
   * @param owner - the only upstream that has the filter of the call
   * @param chain - observed state of the chain
   * @param blocks - is called with a block that is higher than the known head of its upstream
   * @param timeoutMs - timeout for a response
   */
  constructor(
    call: Call,
    signal: CancellationSignal,
    owner: PooledUpstream | undefined,
    chain: ChainHeads,
    blocks: BlockListener,
    timeoutMs: number,
  ) {
    this.call = call
    this.tenant = call.grant
    this.signal = signal
    this.owner = owner
    this.latencyClass = call.policy.latencyClass
    this.resending = call.policy.resending
    this.slowAfterMs =
      this.latencyClass === 'short' ? Math.max(minSlowAfterMs, timeoutMs / 10) : timeoutMs / 2
    this.needs = callRequirements(call, chain)
    this.#blocks = blocks
  }

  send(
    upstream: ConnectedUpstream,
    signal: CancellationSignal,
    completion: ResponseCompletion<UpstreamResponse>,
  ): void {
    upstream.send(this.call, signal, completion)
  }

  read(response: UpstreamResponse, signal: CancellationSignal): Promise<UpstreamResponse> | undefined {
    return response.isBuffered ? undefined : response.bufferShort(signal)
  }

  classify(response: UpstreamResponse): AcceptableClass {
    const responseClass = response.classify(this.call)
    if (responseClass === 'unreadable') throw malformed()
    if (responseClass === 'busy') throw rateLimited()
    return responseClass
  }

  recordResponseClass(
    member: PooledUpstream,
    responseClass: AcceptableClass,
    response: UpstreamResponse,
  ): void {
    const { upstream } = member
    if (responseClass === 'not offered') upstream.recordMissingMethod(this.call.method)
    if (responseClass === 'too large') this.#recordRangeLimit(upstream, response)
    if (responseClass === 'good' && this.#mayShowNewBlock(member)) {
      const number = headIn(response)
      if (number !== undefined) this.#blocks.onBlock(member, number)
    }
  }

  #mayShowNewBlock({ head = -1 }: PooledUpstream): boolean {
    const { call, needs } = this
    if (call.method === 'eth_getBlockByNumber' && (needs.block ?? -1) > head) return true
    return readsLatestBlock(call)
  }

  isStreaming(response: UpstreamResponse): boolean {
    return !response.isBuffered
  }

  discard(response: UpstreamResponse): void {
    response.cancel()
  }

  decide(
    {
      member,
      response,
      responseClass,
    }: ClassifiedResponse<ConnectedUpstream, UpstreamResponse, AcceptableClass>,
    progress: CallProgress<ConnectedUpstream>,
  ): Decision<UpstreamResponse> {
    switch (responseClass) {
      case 'good':
        return 'accept'
      case 'in the chain': {
        // Unless an earlier attempt may have succeeded, this is the upstream's own response to the caller.
        const hash = progress.maybeAccepted ? transactionHash(this.call.params[0]) : undefined
        return hash === undefined ? 'accept' : this.#resolveDuplicate(member, response, hash)
      }
      // The upstream has not executed the call.
      case 'not offered':
        return 'next without cost'
      case 'pruned': {
        const role = this.needs.role === 'full' ? 'archive' : this.needs.role
        this.needs = { ...this.needs, role }
        return progress.next()?.serves(role) === true ? 'next' : 'fallback'
      }
      case 'too large':
        return this.#isAccepted(progress.next()) ? 'next' : 'fallback'
      case 'absent':
        return this.#mayExistOnNext(member, progress) ? 'next' : 'fallback'
      default:
        return responseClass satisfies never
    }
  }

  #recordRangeLimit(upstream: PooledUpstream['upstream'], response: UpstreamResponse): void {
    const { block: from = 0, blocks = 1 } = this.needs
    const { error } = response.parse()
    if (blocks === 1 || !isRecord(error)) return
    const { size, isLimit } = divideRange(error, { from, to: from + blocks - 1 })
    if (isLimit) upstream.recordRangeLimit(this.call.method, size)
  }

  /** Whether an upstream may accept a query that is too large for another one. */
  #isAccepted(member: PooledUpstream | undefined): boolean {
    const { blocks = 1 } = this.needs
    return member !== undefined && blocks <= (member.upstream.rangeLimitOf(this.call.method) ?? Infinity)
  }

  /** Whether another upstream may have the block or transaction that this one does not have. */
  #mayExistOnNext(member: PooledUpstream, progress: CallProgress<ConnectedUpstream>): boolean {
    // One retry is sufficient: an object that the best upstream does not have does not exist.
    const next = progress.tried.length > 1 ? undefined : progress.next()
    const [currentHead, nextHead] = [member.head ?? -1, next?.head ?? -1]
    if (nextHead > currentHead) this.needs = { ...this.needs, block: nextHead }
    // A block that another upstream has reported exists: this upstream lags more than its last known head shows.
    return nextHead > currentHead || (next !== undefined && this.call.minBlock !== undefined)
  }

  /** Handles the rejection of a signed transaction because the chain has it, or has a later one of the account. */
  async #resolveDuplicate(
    { upstream }: PooledUpstream,
    response: UpstreamResponse,
    hash: string,
  ): Promise<UpstreamResponse> {
    const { grant } = this.call
    const { connection } = upstream
    const found = await (grant ? upstreamOf(grant, connection) : connection)
      .call('eth_getTransactionByHash', [hash], this.signal)
      .catch((error: unknown) => error)
    if (found === null || found instanceof Error) return response
    return UpstreamResponse.ofResult(`"${hash}"`)
  }
}
