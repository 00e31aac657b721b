import { Cancellation, type CancellationSignal, settleWith, type Tenant } from '@fairlead/runtime'
import type { ResponseCheck } from '@fairlead/http1'
import { jsonParts } from '@fairlead/gateway-core/json-rpc/json-parts'
import { isRecord, parseJson } from '@fairlead/gateway-core/json'
import type { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import type { UpstreamResponse } from '../response/upstream-response.ts'
import { mismatched, OwnId } from '../response/own-id.ts'
import { unknownCall } from '../response/classify-response.ts'
import { malformed, rateLimited } from '../response/rpc-errors.ts'
import { unavailable, UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { RetryBudget } from '@fairlead/gateway-core/upstream/retry-budget'
import type { ResponseCompletion } from '@fairlead/gateway-core/upstream/attempt'
import { bodyOf, type Call } from '../call.ts'
import type { Upstream } from './types.ts'

/** Dependencies of a batcher. */
export interface BatcherOptions {
  /** Sends one call. */
  readonly sendSingle: Upstream['send']
  /** Sends a batch of calls that are all short and may all be sent again. */
  readonly sendBatch: (
    batch: BatchRequest,
    signal: CancellationSignal,
    completion: ResponseCompletion<UpstreamResponse>,
  ) => void
  /** Memory budget for buffered responses. */
  readonly memory: MemoryLedger
  /** Maximum number of calls in a batch. With 1, no batches are sent. */
  readonly maxCalls: number
}

/** The request for a batch. */
export interface BatchRequest {
  readonly body: string
  readonly check: ResponseCheck
  readonly tenant: Tenant | undefined
}

/** The part of a batcher that its batches use. */
export interface BatchObserver {
  /** Limits the calls that are sent again although the upstream may have executed them. */
  readonly retries: RetryBudget
  /** Called when a call that failed in a batch has succeeded. */
  onSentSingly(): void
}

// HTTP statuses with which servers reject a request body.
const rejections: ReadonlySet<number | undefined> = new Set([400, 405, 413, 415, 422, 501])
const tooManyRequests = 429
// Statuses and kinds of failures that single calls would have too.
const otherFailures: ReadonlySet<number | string> = new Set([429, 508, 'connect_failed', 'aborted'])
const rejectionWordings =
  /\bbatch|\b(?:response|request|payload|body|entity) (?:size|(?:is )?too (?:large|big|long))|\btoo many (?:calls|items)\b/i

/** One batch, and its calls that still wait for their responses. */
export class NodeBatch implements ResponseCompletion<UpstreamResponse>, ResponseCheck {
  readonly #options: BatcherOptions
  readonly #observer: BatchObserver
  /** The calls by their ids. */
  readonly #calls = new Map<string, BatchedCall>()
  readonly #cancellation = new Cancellation()
  /** Ids of the calls that were sent. */
  #sent: ReadonlySet<string> = new Set()
  #mayLackIds = false
  #isServerError = false
  #parts: readonly BatchPart[] | undefined

  constructor(options: BatcherOptions, observer: BatchObserver) {
    this.#options = options
    this.#observer = observer
  }

  get size(): number {
    return this.#calls.size
  }

  add(call: BatchedCall): void {
    const { text } = call.id
    this.#calls.set(text, call)
    call.onAbort(() => {
      this.#calls.delete(text)
      if (this.#calls.size === 0) this.#cancellation.abort()
    })
  }

  send(): void {
    if (this.#calls.size === 0) return
    if (this.#calls.size === 1) return this.#sendRest(false)
    const calls = [...this.#calls.values()]
    const body = `[${calls.map(({ call, id }) => bodyOf(call, id)).join(',')}]`
    // All calls are of one client.
    const tenant = calls[0]?.call.grant
    this.#sent = new Set(this.#calls.keys())
    // The callers no longer wait here, so a thrown error would not be caught.
    try {
      this.#options.sendBatch({ body, check: this, tenant }, this.#cancellation, this)
    } catch (error) {
      this.reject(error)
    }
  }

  begin(status: number, isAlone: boolean): void {
    this.#mayLackIds = isAlone || status === tooManyRequests
    this.#isServerError = status >= 500
    this.#parts = undefined
  }

  onBody(latin1: string): void {
    const isList = isArray(latin1)
    const parts = isList ? partsOf(latin1) : [{ text: latin1, value: parseJson(latin1) }]
    const ids = parts.flatMap(({ value }) => idOf(value) ?? [])
    const isOwn = ids.every((id) => this.#sent.has(id)) && new Set(ids).size === ids.length
    const isPage = !isList && !isRecord(parts[0]?.value)
    const mayLackIds = this.#mayLackIds || (this.#isServerError && isPage)
    if (!isOwn || (ids.length === 0 && !mayLackIds)) throw mismatched()
    if (isList) this.#parts = parts
  }

  /** The calls are short, so a long response is buffered, and checked at its end. */
  onPart(): void {}

  resolve(response: UpstreamResponse): void {
    if (response.isBuffered) return this.#open(response)
    const reservation = this.#options.memory.reserve(undefined, 'response')
    settleWith(
      response.buffer(reservation, this.#cancellation).finally(() => reservation.release()),
      {
        resolve: (buffered) => this.#open(buffered),
        reject: (error) => this.reject(error),
      },
    )
  }

  reject(error: unknown): void {
    const failure = error instanceof UpstreamError ? error : undefined
    const isRejected = failure?.kind === 'mismatched' || rejections.has(failure?.httpStatus)
    if (isRejected) return this.#sendRest(true)
    const mayBeOfBatch = failure && !otherFailures.has(failure.httpStatus ?? failure.kind)
    for (const call of this.#takeRemaining()) {
      // resend: failed batch
      if (mayBeOfBatch && this.#observer.retries.spend()) this.#sendSingle(call, true)
      else call.completion.reject(error)
    }
  }

  stalled(): void {
    for (const { completion } of this.#calls.values()) completion.stalled?.()
  }

  /** Delivers its part of the response to each call. */
  #open(response: UpstreamResponse): void {
    const { latin1 = '' } = response
    try {
      if (!this.#parts) this.onBody(latin1)
    } catch (error) {
      return this.reject(unavailable(error, this.#cancellation))
    }
    if (!this.#parts) return this.#openSingle(response, latin1)
    const { size } = this.#calls
    let isRejected = false
    for (const { text, value } of this.#parts) {
      if (!isRecord(value)) continue
      if (isBatchRejection(value['error'])) {
        isRejected = true
        continue
      }
      const call = this.#calls.get(idOf(value) ?? '')
      if (!call) continue
      this.#calls.delete(call.id.text)
      call.detach()
      call.completion.resolve(response.part(text, call.id, value))
    }
    if (this.#calls.size === size && !isRejected) return this.reject(malformed())
    // Upstreams truncate the batch when the total response becomes too large.
    this.#sendRest(isRejected)
  }

  /** Handles a single response to the whole batch. */
  #openSingle(response: UpstreamResponse, latin1: string): void {
    if (!isRecord(parseJson(latin1))) return this.reject(malformed())
    if (response.classify(unknownCall) === 'busy') return this.reject(rateLimited())
    // The batch may be too large, or the upstream does not support batches.
    this.#sendRest(true)
  }

  /** Sends the calls that still wait, which the upstream has not executed. */
  #sendRest(isRejected: boolean): void {
    // resend: rest of a batch
    for (const call of this.#takeRemaining()) this.#sendSingle(call, isRejected)
  }

  #sendSingle({ call, signal, completion }: BatchedCall, hasFailed: boolean): void {
    try {
      const observed = hasFailed ? new ResentCall(completion, this.#observer) : completion
      this.#options.sendSingle(call, signal, observed)
    } catch (error) {
      completion.reject(error)
    }
  }

  /** Removes and returns the calls that still wait. */
  #takeRemaining(): readonly BatchedCall[] {
    const remaining = [...this.#calls.values()]
    this.#calls.clear()
    for (const call of remaining) call.detach()
    return remaining
  }
}

/** A call in a batch. */
export class BatchedCall {
  readonly id = new OwnId()
  readonly call: Call
  readonly signal: CancellationSignal
  readonly completion: ResponseCompletion<UpstreamResponse>
  #onAborted: () => void = () => undefined

  constructor(call: Call, signal: CancellationSignal, completion: ResponseCompletion<UpstreamResponse>) {
    this.call = call
    this.signal = signal
    this.completion = completion
  }

  onAbort(listener: () => void): void {
    this.#onAborted = listener
    this.signal.addEventListener('abort', this)
  }

  handleEvent(): void {
    this.#onAborted()
    this.completion.reject(unavailable(undefined, this.signal))
  }

  detach(): void {
    this.signal.removeEventListener('abort', this)
  }
}

/** A call that is sent singly after it failed in a batch. */
class ResentCall implements ResponseCompletion<UpstreamResponse> {
  readonly #completion: ResponseCompletion<UpstreamResponse>
  readonly #observer: BatchObserver

  constructor(completion: ResponseCompletion<UpstreamResponse>, observer: BatchObserver) {
    this.#completion = completion
    this.#observer = observer
  }

  resolve(response: UpstreamResponse): void {
    // An error may have the same cause as that of the batch.
    if (!response.isBuffered || response.isBufferedResult) this.#observer.onSentSingly()
    this.#completion.resolve(response)
  }

  reject(error: unknown): void {
    this.#completion.reject(error)
  }

  stalled(): void {
    this.#completion.stalled?.()
  }
}

/** The response to one call of a batch. */
interface BatchPart {
  readonly text: string
  readonly value: unknown
}

function isArray(latin1: string): boolean {
  return latin1.trimStart().startsWith('[')
}

function partsOf(latin1: string): readonly BatchPart[] {
  return jsonParts(latin1).map((text) => ({ text, value: parseJson(text) }))
}

/** Returns the id in the response to one call. It is empty if it is none of the gateway, undefined without one. */
function idOf(value: unknown): string | undefined {
  const { id = null } = isRecord(value) ? value : {}
  if (id === null) return undefined
  return typeof id === 'number' || typeof id === 'string' ? String(id) : ''
}

/** Whether an error reports that the call was rejected because of its batch. */
function isBatchRejection(error: unknown): boolean {
  if (!isRecord(error)) return false
  const { message } = error
  return typeof message === 'string' && rejectionWordings.test(message)
}
