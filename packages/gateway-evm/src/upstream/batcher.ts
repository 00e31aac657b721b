import { performance } from 'node:perf_hooks'
import {
  Cancellation,
  type CancellationSignal,
  RehashingMap,
  settleWith,
  type Tenant,
} from '@fairlead/runtime'
import { jsonMembers, jsonParts } from '@fairlead/gateway-core/json-rpc/json-parts'
import { errorObjectText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { isRecord, parseJson } from '@fairlead/gateway-core/json'
import type { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import type { UpstreamResponse } from '../response/upstream-response.ts'
import { malformed } from '../response/rpc-errors.ts'
import { unavailable, UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { ResponseCompletion } from '@fairlead/gateway-core/upstream/attempt'
import { bodyOf, type Call } from '../call.ts'
import { unknownPolicy } from '../methods/method-policy.ts'
import type { Upstream } from './types.ts'

/** Dependencies of {@link Batcher}. */
export interface BatcherOptions {
  /** Sends one call. */
  readonly sendSingle: Upstream['send']
  /** Sends a batch of calls that are all short and may all be sent again. */
  readonly sendBatch: (
    body: string,
    signal: CancellationSignal,
    completion: ResponseCompletion<UpstreamResponse>,
    tenant: Tenant | undefined,
  ) => void
  /** Memory budget for buffered responses. */
  readonly memory: MemoryLedger
  /** Maximum number of calls in a batch. With 1, no batches are sent. */
  readonly maxCalls: number
}

// The upstream may be replaced by another one at the same URL.
const disabledMs = 10 * 60_000
// HTTP statuses with which servers reject a request body.
const rejections: ReadonlySet<number | undefined> = new Set([400, 405, 413, 415, 422, 501])
/** A single response to a batch is not classified by a method. */
const unknownCall = { method: '', policy: unknownPolicy }
const rejectionWordings = /\bbatch|response (?:is )?too (?:large|big)|response size/i

/**
 * Combines the calls of a client's batch that go to one upstream in the same event-loop tick into a batch, if the
 * upstream accepts batches. Only short calls are combined, because any other call would delay the rest.
 */
export class Batcher {
  readonly #options: BatcherOptions
  /** Batches of the current event-loop tick, by the client's batch. */
  readonly #batches = new RehashingMap<object, NodeBatch>()
  #disabledUntil = -Infinity

  constructor(options: BatcherOptions) {
    this.#options = options
  }

  /** As {@link Upstream.send}. A call that cannot be batched is sent separately. */
  readonly send: Upstream['send'] = (call, signal, completion) => {
    const { sendSingle, maxCalls } = this.#options
    const canBatch = maxCalls > 1 && !signal.aborted && performance.now() >= this.#disabledUntil
    if (!canBatch || !isBatchable(call)) return sendSingle(call, signal, completion)
    const { batch, idText } = call
    const current = this.#batches.get(batch)
    const open = current && current.size < maxCalls ? current : this.#begin(batch)
    // The responses to two calls with the same id could not be distinguished.
    if (open.has(idText)) sendSingle(call, signal, completion)
    else open.add(idText, new BatchedCall(call, signal, completion))
  }

  #begin(batch: object): NodeBatch {
    const current = new NodeBatch(this.#options, () => (this.#disabledUntil = performance.now() + disabledMs))
    this.#batches.set(batch, current)
    // All calls of a client's batch begin synchronously.
    process.nextTick(() => {
      if (this.#batches.get(batch) === current) this.#batches.delete(batch)
      current.send()
    })
    return current
  }
}

type BatchableCall = Call & { readonly batch: object; readonly idText: string }

/**
 * Whether upstreams can respond immediately and with a short response. A block with all its transactions is not short.
 */
function isBatchable(call: Call): call is BatchableCall {
  const { policy, params } = call
  if (!call.batch || call.idText === undefined) return false
  return policy.latencyClass === 'short' && policy.resending === 'always' && params[1] !== true
}

/** One batch, and its calls that still wait for their responses. */
class NodeBatch implements ResponseCompletion<UpstreamResponse> {
  readonly #options: BatcherOptions
  readonly #onRejected: () => void
  readonly #calls = new Map<string, BatchedCall>()
  readonly #cancellation = new Cancellation()

  constructor(options: BatcherOptions, onRejected: () => void) {
    this.#options = options
    this.#onRejected = onRejected
  }

  get size(): number {
    return this.#calls.size
  }

  has(idText: string): boolean {
    return this.#calls.has(idText)
  }

  add(idText: string, call: BatchedCall): void {
    this.#calls.set(idText, call)
    call.onAbort(() => {
      this.#calls.delete(idText)
      if (this.#calls.size === 0) this.#cancellation.abort()
    })
  }

  send(): void {
    if (this.#calls.size === 0) return
    if (this.#calls.size === 1) return this.#sendIndividually()
    const bodies = Array.from(this.#calls.values(), ({ call }) => bodyOf(call))
    // All calls are of one client.
    const [first] = this.#calls.values()
    // The callers no longer wait here, so a thrown error would not be caught.
    try {
      this.#options.sendBatch(`[${bodies.join(',')}]`, this.#cancellation, this, first?.call.grant)
    } catch (error) {
      this.reject(error)
    }
  }

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
    if (error instanceof UpstreamError && rejections.has(error.httpStatus)) return this.#handleRejection()
    for (const call of this.#takeRemaining()) call.completion.reject(error)
  }

  stalled(): void {
    for (const { completion } of this.#calls.values()) completion.stalled?.()
  }

  /** Delivers its part of the response to each call. */
  #open(response: UpstreamResponse): void {
    const { latin1 = '' } = response
    if (!latin1.trimStart().startsWith('[')) return this.#openSingle(response, latin1)
    for (const text of jsonParts(latin1)) {
      const value = parseJson(text)
      if (!isRecord(value) || isBatchRejection(value['error'])) continue
      const { id } = value
      const idText = typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : ''
      const call = this.#calls.get(idText)
      if (!call) continue
      this.#calls.delete(idText)
      call.detach()
      call.completion.resolve(response.part(text, value))
    }
    // Upstreams truncate the batch when the total response becomes too large.
    this.#sendIndividually()
  }

  /** Handles a single response to the whole batch. */
  #openSingle(response: UpstreamResponse, latin1: string): void {
    if (!isRecord(parseJson(latin1))) return this.reject(malformed())
    // The batch may be too large, or the upstream does not support batches.
    if (response.classify(unknownCall) !== 'busy') return this.#handleRejection()
    const error = jsonMembers(latin1).get('error') ?? 'null'
    for (const { call, completion } of this.#takeRemaining()) {
      completion.resolve(response.part(errorObjectText(call.idText ?? 'null', error)))
    }
  }

  #handleRejection(): void {
    this.#onRejected()
    this.#sendIndividually()
  }

  // resend: rest of a batch
  #sendIndividually(): void {
    for (const { call, signal, completion } of this.#takeRemaining()) {
      try {
        this.#options.sendSingle(call, signal, completion)
      } catch (error) {
        completion.reject(error)
      }
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
class BatchedCall {
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

/** Whether an error reports that the call was rejected because of its batch. */
function isBatchRejection(error: unknown): boolean {
  if (!isRecord(error)) return false
  const { message } = error
  return typeof message === 'string' && rejectionWordings.test(message)
}
