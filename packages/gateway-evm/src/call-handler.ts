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
import { beginDispatch, type DispatchedResponse } from './dispatch/dispatch.ts'
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

/** How one call was answered. */
export interface RpcResponse {
  /** Method of the contract, or `unknown`. */
  readonly method: string
  /** HTTP status for an answer that holds this call alone. */
  readonly status: number
  /** Whole text, or the node's answer that is still to be read; undefined for a notification. */
  readonly content: string | UpstreamResponse | undefined
  /** When another try of a call that was refused can succeed. */
  readonly retryAfterSeconds?: number | undefined
  /** Gives the call's place back; to be called once the node's answer has been read. */
  readonly leave?: (() => void) | undefined
}

/** {@link beginCall} for whoever would rather have a promise. */
export function answerCall(
  item: RpcItem,
  context: CallContext,
  reservation?: Reservation,
): Promise<RpcResponse> {
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
  done: (answered: readonly RpcResponse[]) => void,
  reservation: Reservation,
): void {
  const answered: RpcResponse[] = []
  let missing = items.length
  items.forEach((item, at) => {
    const hear = (one: RpcResponse) => {
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
  done: (answered: RpcResponse) => void,
  reservation?: Reservation,
): void {
  if ('failure' in item) {
    done({ method: 'unknown', status: 200, content: errorText(item.idText, item.failure) })
  } else new CallHandler(item, context, done, reservation).begin()
}

/** A call between admission and its response. */
class CallHandler implements Completion<DispatchedResponse>, Call {
  readonly request: RpcRequest
  readonly grant: Grant
  readonly endpoint: '' | 'evm'
  readonly signal: CancellationSignal
  readonly maxLogRange: number | undefined
  readonly answers: ResponseCaches | undefined
  readonly batch: Call['batch']
  readonly latest: Call['latest']
  readonly #context: CallContext
  readonly #done: (answered: RpcResponse) => void
  readonly #reservation: Reservation | undefined
  readonly #method: string
  #place: Permit | undefined
  #isOver = false

  constructor(
    request: RpcRequest,
    context: CallContext,
    done: (answered: RpcResponse) => void,
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
    this.#method = contractMethod(request.method)?.name ?? 'unknown'
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
    this.#place = admitted
    try {
      const destination = resolveMethod(this.request, this.grant, this.endpoint)
      beginDispatch(this, destination, this.#context.upstream, this, this.#reservation)
    } catch (error) {
      this.reject(error)
    }
  }

  resolve(forwarded: DispatchedResponse): void {
    if (this.request.idText === undefined) this.#drop(forwarded)
    else if ('text' in forwarded) this.#end({ method: this.#method, status: 200, content: forwarded.text })
    else {
      // The place is held until the answer has been read.
      const leave = this.#place && (() => this.#place?.release())
      this.#tell({ method: this.#method, status: 200, content: forwarded.answer, leave })
    }
  }

  reject(error: unknown): void {
    this.#end(failed(this.#method, this.request, toResponseError(error, this.#context.log)))
  }

  /** Reads the answer to a notification, and gives it to nobody. */
  #drop(forwarded: DispatchedResponse): void {
    const answered = { method: this.#method, status: 204, content: undefined }
    if ('text' in forwarded) this.#end(answered)
    else {
      settleWith(forwarded.answer.body.dump(), {
        resolve: () => this.#end(answered),
        reject: (error) => this.reject(error),
      })
    }
  }

  #end(answered: RpcResponse): void {
    this.#place?.release()
    this.#tell(answered)
  }

  #tell(answered: RpcResponse): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#done(answered)
  }
}

/** The failure to answer with; anything that is not one already is logged and kept from the caller. */
export function toResponseError(error: unknown, log: Logger): RpcError {
  const failure = toRpcError(error)
  if (failure) return failure
  log.error({ err: error }, 'node request failed')
  return new RpcError(rpcCodes.internalError, 'Internal error.', { status: 500 })
}

function failed(method: string, { idText }: RpcRequest, failure: RpcError): RpcResponse {
  return idText === undefined
    ? { method, status: 204, content: undefined }
    : {
        method,
        status: failure.status,
        content: errorText(idText, failure),
        retryAfterSeconds: failure.retryAfterSeconds,
      }
}
