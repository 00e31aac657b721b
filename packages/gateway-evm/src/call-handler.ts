import { toRpcError } from './response/rpc-errors.ts'
import type { Logger } from 'pino'
import { type CancellationSignal, type Completion, settleWith } from '@fairlead/runtime'
import { withSpan } from '@fairlead/gateway-core/telemetry/current-trace'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import {
  type Admission,
  type Permit,
  isRejection,
  type Rejection,
} from '@fairlead/gateway-core/admission/types'
import type { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import type { Adapter } from './adapters/adapter.ts'
import { beginDispatch } from './dispatch/dispatch.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import type { UpstreamResponse } from './response/upstream-response.ts'
import type { Upstream } from './upstream/types.ts'
import type { InvalidItem, RpcItem, RpcRequest } from '@fairlead/gateway-core/json-rpc/types'
import { rejectedCall } from './rejected-call.ts'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { ordinaryCost } from '@fairlead/gateway-core/usage/units'
import { rpcCodes } from './rpc-codes.ts'
import { errorText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { findMethod } from './methods/available-methods.ts'
import { type MethodPolicy, type SpecifiedMethod, unknownPolicy } from './methods/method-policy.ts'
import { batchLatestBlock } from './consistency/batch-latest-block.ts'
import { type Batch, type ClientContext, type ResolvedCall, resolveMethod } from './methods/resolve-method.ts'

/** The request of the client that contains a call, or the gateway itself. */
export interface CallContext extends ClientContext {
  /** Opens the upstreams of the node. The getter throws {@link RpcError} when it has no usable one. */
  readonly upstream: Upstream
  /** Omitted for calls that the gateway itself makes. */
  readonly admission?: Admission | undefined
  /** Spreads the calls of a batch over event-loop ticks; all begin at once when omitted. */
  readonly budget?: TickBudget | undefined
  /** Receives failures that the gateway itself causes. */
  readonly log: Logger
}

/** A call and its response. */
export interface HandledCall {
  /** Method name in the specification, or `unknown`. */
  readonly method: string
  /** HTTP status for a response that contains only this call. */
  readonly status: number
  /** Full text, or the unread response of the upstream. Undefined for a notification. */
  readonly content: string | UpstreamResponse | undefined
  /** Delay after which a rejected call may succeed. */
  readonly retryAfterSeconds?: number | undefined
  /** Releases the permit of the call. Call it after the upstream's response has been read. */
  release?(): void
}

/** Runs one call, with a promise in place of the callback. */
export function handleCall(
  item: RpcItem,
  context: CallContext,
  reservation?: Reservation,
): Promise<HandledCall> {
  return new Promise((done) => prepareCall(item, context, reservation).begin(done))
}

/**
 * Runs all calls of a batch in parallel.
 *
 * @param done - called once with the responses, in the order of the calls
 */
export function beginCalls(
  items: readonly RpcItem[],
  context: CallContext,
  done: (results: readonly HandledCall[]) => void,
  reservation: Reservation,
): void {
  const results: HandledCall[] = []
  let missing = items.length
  const calls = prepareCalls(items, context, reservation)
  const begin = (call: PreparedCall, at: number) =>
    call.begin((result) => {
      results[at] = result
      missing -= 1
      if (missing === 0) done(results)
    })
  for (let start = 0; start < calls.length; start += callsPerTurn) {
    const end = Math.min(start + callsPerTurn, calls.length)
    const beginTurn = () => {
      for (let at = start; at < end; at += 1) begin(calls[at] as PreparedCall, at)
    }
    if (context.budget) context.budget.run(context.grant, end - start, beginTurn)
    else beginTurn()
  }
}

/** Number of calls of a batch that begin in one turn. */
export const callsPerTurn = 100

/** A call that has arrived. */
export interface PreparedCall {
  /**
   * Runs the call through admission and dispatch. Never throws.
   *
   * @param done - called once with the response, possibly synchronously
   */
  begin(done: (handled: HandledCall) => void): void
}

/**
 * Prepares one authenticated call.
 *
 * @param reservation - present for a call of a batch: its response is buffered completely, and all responses must fit
 * together
 */
export function prepareCall(
  item: RpcItem,
  context: CallContext,
  reservation?: Reservation,
  batch?: Batch,
): PreparedCall {
  if ('failure' in item) return new InvalidCall(item, context)
  return new CallHandler(item, context, reservation, batch)
}

/** As {@link prepareCall}, for all calls of a batch. */
export function prepareCalls(
  items: readonly RpcItem[],
  context: CallContext,
  reservation: Reservation,
): readonly PreparedCall[] {
  const batch: Batch = { latest: undefined }
  const calls: PreparedCall[] = []
  const valid: CallHandler[] = []
  for (const item of items) {
    const call = prepareCall(item, context, reservation, batch)
    calls.push(call)
    if (call instanceof CallHandler) valid.push(call)
  }
  batch.latest = batchLatestBlock(valid, context)
  return calls
}

/** An element of a body that is not a valid call. */
class InvalidCall implements PreparedCall {
  readonly #item: InvalidItem
  readonly #context: CallContext

  constructor(item: InvalidItem, context: CallContext) {
    this.#item = item
    this.#context = context
  }

  begin(done: (handled: HandledCall) => void): void {
    const { admission, grant } = this.#context
    // Charged like a call, so that the limits of the credential apply to invalid calls too.
    const rejection = admission?.admitStream(grant, 'unknown', ordinaryCost)
    const failure = rejection ? rejectedCall(rejection) : this.#item.failure
    done({ method: 'unknown', status: failure.status, content: errorText(this.#item.idText, failure) })
  }
}

const noParams: readonly unknown[] = []
const ignore = () => undefined

/** A call between its arrival and its response. */
class CallHandler implements PreparedCall, Completion<string | UpstreamResponse>, ResolvedCall, HandledCall {
  readonly request: RpcRequest
  readonly found: SpecifiedMethod | undefined
  readonly method: string
  readonly policy: MethodPolicy
  readonly grant: Grant
  readonly endpoint: '' | 'evm'
  readonly signal: CancellationSignal
  readonly maxLogRange: number | undefined
  readonly caches: ResolvedCall['caches']
  readonly batch: Batch | undefined
  readonly minBlock = undefined
  /** Set when the call is admitted, like the members of {@link UnresolvedCall}. */
  upstream!: Upstream
  adapter: Adapter | undefined = undefined
  params: readonly unknown[] = noParams
  paramsText = '[]'
  readonly #context: CallContext
  #done: (handled: HandledCall) => void = ignore
  readonly #reservation: Reservation | undefined
  status = 200
  content: string | UpstreamResponse | undefined = undefined
  retryAfterSeconds: number | undefined = undefined
  #permit: Permit | undefined = undefined
  #isDone = false

  constructor(
    request: RpcRequest,
    context: CallContext,
    reservation: Reservation | undefined,
    batch: Batch | undefined,
  ) {
    const { method } = request
    const found = findMethod(method)
    this.request = request
    this.found = found
    this.method = found ? method : 'unknown'
    this.policy = found?.policy ?? unknownPolicy
    this.grant = context.grant
    this.endpoint = context.endpoint
    this.signal = context.signal
    this.maxLogRange = context.maxLogRange
    this.caches = context.caches
    this.batch = batch
    this.#context = context
    this.#reservation = reservation
  }

  begin(done: (handled: HandledCall) => void): void {
    this.#done = done
    try {
      const { grant, request, policy, signal } = this
      const admitted = this.#context.admission?.admit(grant, request.method, policy.cost, signal)
      if (!(admitted instanceof Promise)) this.#enter(admitted)
      else {
        settleWith(
          withSpan('admission', {}, () => admitted),
          { resolve: (outcome) => this.#enter(outcome), reject: (error) => this.reject(error) },
        )
      }
    } catch (error) {
      this.reject(error)
    }
  }

  #enter(admitted: Permit | Rejection | undefined): void {
    if (admitted && isRejection(admitted)) return this.reject(rejectedCall(admitted))
    this.#permit = admitted
    try {
      resolveMethod(this)
      this.upstream = this.#context.upstream
      beginDispatch(this, this, this.#reservation)
    } catch (error) {
      this.reject(error)
    }
  }

  resolve(content: string | UpstreamResponse): void {
    if (this.request.idText === undefined) this.#discard(content)
    else if (typeof content === 'string') this.#end(200, content)
    // The permit is held until the response has been read.
    else this.#deliver(200, content)
  }

  reject(error: unknown): void {
    const failure = toResponseError(error, this.#context.log)
    const { idText } = this.request
    if (idText === undefined) return this.#end(204, undefined)
    this.retryAfterSeconds = failure.retryAfterSeconds
    this.#end(failure.status, errorText(idText, failure))
  }

  release(): void {
    this.#permit?.release()
  }

  /** Reads the response to a notification and discards it. */
  #discard(content: string | UpstreamResponse): void {
    if (typeof content === 'string') this.#end(204, undefined)
    else {
      settleWith(content.drain(), {
        resolve: () => this.#end(204, undefined),
        reject: (error) => this.reject(error),
      })
    }
  }

  #end(status: number, content: string | undefined): void {
    this.release()
    this.#deliver(status, content)
  }

  #deliver(status: number, content: string | UpstreamResponse | undefined): void {
    if (this.#isDone) return
    this.#isDone = true
    this.status = status
    this.content = content
    this.#done(this)
  }
}

/** Returns the error to respond with. An error of any other type is logged and is not exposed to the caller. */
export function toResponseError(error: unknown, log: Logger): RpcError {
  const failure = toRpcError(error)
  if (failure) return failure
  log.error({ err: error }, 'node request failed')
  return new RpcError(rpcCodes.internalError, 'Internal error.', { status: 500 })
}
