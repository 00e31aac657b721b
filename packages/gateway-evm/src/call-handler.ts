import { toRpcError } from './upstream/rpc-errors.ts'
import type { Logger } from 'pino'
import type { CancellationSignal } from '@fairlead/http1'
import { withSpan } from '@fairlead/gateway-core/telemetry/current-trace'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import {
  type Admission,
  type Permit,
  isRejection,
  type Rejection,
} from '@fairlead/gateway-core/admission/types'
import { type Completion, settleWith } from '@fairlead/gateway-core/completion'
import type { Call } from './rpc-call.ts'
import type { ResponseCaches } from './cache/caches.ts'
import { beginDispatch } from './dispatch/dispatch.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-budget'
import type { UpstreamResponse } from './upstream/upstream-response.ts'
import type { Upstream } from './upstream/types.ts'
import type { RpcItem, RpcRequest } from '@fairlead/gateway-core/json-rpc/types'
import { rejectedCall } from './rejected-call.ts'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from './rpc-codes.ts'
import { errorText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { contractMethod } from './methods/available-methods.ts'
import { resolveMethod } from './methods/resolve-method.ts'

/** What all calls of one HTTP request share. */
export interface CallContext {
  readonly grant: Grant
  readonly endpoint: '' | 'evm'
  readonly upstream: Upstream
  /** Left out for calls that the service makes for itself. */
  readonly admission?: Admission | undefined
  /** Ends when the client goes away or the time is up. */
  readonly signal: CancellationSignal
  /** Most blocks that a query for logs may span; any number when it is 0 or left out. */
  readonly maxLogRange?: number | undefined
  /** What earlier answers are remembered with. */
  readonly answers?: ResponseCaches | undefined
  /** Given for the calls of a batch. */
  readonly batch?: Call['batch']
  /** Given for a batch whose calls depend on the newest block. */
  readonly latest?: Call['latest']
  /** Hears about failures that are this service's fault. */
  readonly log: Logger
}

/** A call that has its response. */
export interface HandledCall {
  /** Method of the contract, or `unknown`. */
  readonly method: string
  /** HTTP status for a response that holds this call alone. */
  readonly status: number
  /** Whole text, or the upstream's response that is still to be read; undefined for a notification. */
  readonly content: string | UpstreamResponse | undefined
  /** When another try of a call that was refused can succeed. */
  readonly retryAfterSeconds?: number | undefined
  /** Releases the permit of the call; to be called once the upstream's response has been read. */
  release?(): void
}

/** {@link beginCall} for whoever would rather have a promise. */
export function answerCall(
  item: RpcItem,
  context: CallContext,
  reservation?: Reservation,
): Promise<HandledCall> {
  return new Promise((done) => beginCall(item, context, done, reservation))
}

/**
 * As {@link beginCall} for all calls of a batch, side by side.
 *
 * @param done - hears once how they were answered, in their order
 */
export function beginCalls(
  items: readonly RpcItem[],
  context: CallContext,
  done: (answered: readonly HandledCall[]) => void,
  reservation: Reservation,
): void {
  const answered: HandledCall[] = []
  let missing = items.length
  items.forEach((item, at) => {
    const hear = (one: HandledCall) => {
      answered[at] = one
      missing -= 1
      if (missing === 0) done(answered)
    }
    beginCall(item, context, hear, reservation)
  })
}

/**
 * Takes one authenticated call through admission and dispatch. It never throws.
 *
 * @param done - hears once how the call was answered, maybe at once
 * @param reservation - given for a call of a batch: its answer is read whole, and all answers together must fit
 */
export function beginCall(
  item: RpcItem,
  context: CallContext,
  done: (answered: HandledCall) => void,
  reservation?: Reservation,
): void {
  if ('failure' in item) {
    done({ method: 'unknown', status: 200, content: errorText(item.idText, item.failure) })
  } else new CallHandler(item, context, done, reservation).begin()
}

/** A call between admission and its response. */
class CallHandler implements Completion<string | UpstreamResponse>, Call, HandledCall {
  readonly request: RpcRequest
  readonly grant: Grant
  readonly endpoint: '' | 'evm'
  readonly signal: CancellationSignal
  readonly maxLogRange: number | undefined
  readonly answers: ResponseCaches | undefined
  readonly batch: Call['batch']
  readonly latest: Call['latest']
  readonly #context: CallContext
  readonly #done: (answered: HandledCall) => void
  readonly #reservation: Reservation | undefined
  readonly method: string
  status = 200
  content: string | UpstreamResponse | undefined = undefined
  retryAfterSeconds: number | undefined = undefined
  #permit: Permit | undefined = undefined
  #isOver = false

  constructor(
    request: RpcRequest,
    context: CallContext,
    done: (answered: HandledCall) => void,
    reservation: Reservation | undefined,
  ) {
    this.request = request
    this.grant = context.grant
    this.endpoint = context.endpoint
    this.signal = context.signal
    this.maxLogRange = context.maxLogRange
    this.answers = context.answers
    this.batch = context.batch
    this.latest = context.latest
    this.#context = context
    this.#done = done
    this.#reservation = reservation
    this.method = contractMethod(request.method)?.name ?? 'unknown'
  }

  begin(): void {
    try {
      const admitted = this.#context.admission?.admit(this.grant, this.request.method, this.signal)
      if (!(admitted instanceof Promise)) this.#enter(admitted)
      else {
        settleWith(
          withSpan('admission', {}, () => admitted),
          { resolve: (answer) => this.#enter(answer), reject: (error) => this.reject(error) },
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
      const destination = resolveMethod(this.request, this.grant, this.endpoint)
      beginDispatch(this, destination, this.#context.upstream, this, this.#reservation)
    } catch (error) {
      this.reject(error)
    }
  }

  resolve(content: string | UpstreamResponse): void {
    if (this.request.idText === undefined) this.#drop(content)
    else if (typeof content === 'string') this.#end(200, content)
    // The permit is held until the response has been read.
    else this.#hand(200, content)
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

  /** Reads the response to a notification, and gives it to nobody. */
  #drop(content: string | UpstreamResponse): void {
    if (typeof content === 'string') this.#end(204, undefined)
    else {
      settleWith(content.body.dump(), {
        resolve: () => this.#end(204, undefined),
        reject: (error) => this.reject(error),
      })
    }
  }

  #end(status: number, content: string | undefined): void {
    this.release()
    this.#hand(status, content)
  }

  #hand(status: number, content: string | UpstreamResponse | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    this.status = status
    this.content = content
    this.#done(this)
  }
}

/** The failure to answer with; anything that is not one already is logged and kept from the caller. */
export function toResponseError(error: unknown, log: Logger): RpcError {
  const failure = toRpcError(error)
  if (failure) return failure
  log.error({ err: error }, 'node request failed')
  return new RpcError(rpcCodes.internalError, 'Internal error.', { status: 500 })
}
