import { performance } from 'node:perf_hooks'
import { settleWith } from '@fairlead/gateway-core/completion'
import { Cancellation, type CancellationSignal, RehashingMap } from '@fairlead/http1'
import { jsonMembers, jsonParts } from '@fairlead/gateway-core/json-rpc/json-parts'
import { errorObjectText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { isRecord, parseJson } from '@fairlead/gateway-core/json'
import type { MemoryBudget } from '@fairlead/gateway-core/memory/memory-budget'
import { latencyClass } from '../methods/latency-class.ts'
import { BufferedResponse } from './buffered-response.ts'
import { classifyResponse } from './classify-response.ts'
import { idempotencyOf } from './idempotency.ts'
import { readBytes } from './read-response.ts'
import type { UpstreamResponse } from './upstream-response.ts'
import { malformed } from './rpc-errors.ts'
import { unavailable, UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { ResponseCompletion } from '@fairlead/gateway-core/upstream/attempt'
import type { CallInfo, Upstream } from './types.ts'

/** Dependencies of {@link Batcher}. */
export interface BatcherParts {
  /** Sends one call. */
  readonly alone: Upstream['send']
  /** Sends a batch of calls that are all short and may all be sent again. */
  readonly together: (
    body: string,
    signal: CancellationSignal,
    completion: ResponseCompletion<UpstreamResponse>,
    owner: string | undefined,
  ) => void
  /** Memory budget for buffered responses. */
  readonly memory: MemoryBudget
  /** Maximum number of calls in a batch. With 1, no batches are sent. */
  readonly mostCalls: number
}

// The upstream may be replaced by another one at the same URL.
const refusedMs = 10 * 60_000
// HTTP statuses with which servers reject a request body.
const rejections: ReadonlySet<number | undefined> = new Set([400, 405, 413, 415, 422, 501])
const refusalWordings = /\bbatch|response (?:is )?too (?:large|big)|response size/i

/**
 * Combines the calls of a client's batch that go to one upstream in the same event-loop tick into a batch, if the
 * upstream accepts batches. Only short calls are combined, because any other call would delay the rest.
 */
export class Batcher {
  readonly #parts: BatcherParts
  /** Batches of the current event-loop tick, by the client's batch. */
  readonly #begun = new RehashingMap<object, NodeBatch>()
  #refusedUntil = -Infinity

  constructor(parts: BatcherParts) {
    this.#parts = parts
  }

  /** As {@link Upstream.send}. A call that cannot be batched is sent separately. */
  readonly send: Upstream['send'] = (body, signal, asked, completion) => {
    const { alone, mostCalls } = this.#parts
    const mayGo = mostCalls > 1 && !signal.aborted && performance.now() >= this.#refusedUntil
    if (!mayGo || !isFit(asked)) return alone(body, signal, asked, completion)
    const { batch, idText } = asked
    const begun = this.#begun.get(batch)
    const open = begun && begun.size < mostCalls ? begun : this.#begin(batch)
    // The responses to two calls with the same id could not be distinguished.
    if (open.has(idText)) alone(body, signal, asked, completion)
    else open.take(idText, new BatchedCall(body, signal, asked, completion))
  }

  #begin(batch: object): NodeBatch {
    const begun = new NodeBatch(this.#parts, () => (this.#refusedUntil = performance.now() + refusedMs))
    this.#begun.set(batch, begun)
    // All calls of a client's batch begin synchronously.
    process.nextTick(() => {
      if (this.#begun.get(batch) === begun) this.#begun.delete(batch)
      begun.send()
    })
    return begun
  }
}

type FitCall = CallInfo & { readonly batch: object; readonly idText: string }

/**
 * Whether upstreams can respond immediately and with a short response. A block with all its transactions is not short.
 */
function isFit(asked: CallInfo | undefined): asked is FitCall {
  if (!asked?.batch || asked.idText === undefined) return false
  const { method, params } = asked
  return latencyClass(method) === 'quick' && idempotencyOf(method) === 'always' && params[1] !== true
}

/** One batch, and its calls that still wait for their responses. */
class NodeBatch implements ResponseCompletion<UpstreamResponse> {
  readonly #parts: BatcherParts
  readonly #onRefused: () => void
  readonly #calls = new Map<string, BatchedCall>()
  readonly #ended = new Cancellation()

  constructor(parts: BatcherParts, onRefused: () => void) {
    this.#parts = parts
    this.#onRefused = onRefused
  }

  get size(): number {
    return this.#calls.size
  }

  has(idText: string): boolean {
    return this.#calls.has(idText)
  }

  take(idText: string, call: BatchedCall): void {
    this.#calls.set(idText, call)
    call.whenAborted(() => {
      this.#calls.delete(idText)
      if (this.#calls.size === 0) this.#ended.abort()
    })
  }

  send(): void {
    if (this.#calls.size === 0) return
    if (this.#calls.size === 1) return this.#sendAlone()
    const bodies = Array.from(this.#calls.values(), ({ body }) => body)
    // All calls are of one client.
    const [first] = this.#calls.values()
    // The callers no longer wait here, so a thrown error would not be caught.
    try {
      this.#parts.together(`[${bodies.join(',')}]`, this.#ended, this, first?.asked?.credentialId)
    } catch (error) {
      this.reject(error)
    }
  }

  resolve(answer: UpstreamResponse): void {
    if (answer.latin1 !== undefined) return this.#open(answer.latin1, answer.secrets)
    const reservation = this.#parts.memory.reserve()
    settleWith(
      readBytes(answer, reservation, this.#ended).finally(() => reservation.release()),
      {
        resolve: (bytes) => this.#open(bytes.toString('latin1'), answer.secrets),
        reject: (error) => this.reject(error),
      },
    )
  }

  reject(error: unknown): void {
    if (error instanceof UpstreamError && rejections.has(error.httpStatus)) return this.#refused()
    for (const call of this.#left()) call.completion.reject(error)
  }

  stalled(): void {
    for (const { completion } of this.#calls.values()) completion.stalled?.()
  }

  /** Delivers its part of the response to each call. */
  #open(latin1: string, secrets: readonly string[] | undefined): void {
    if (!latin1.trimStart().startsWith('[')) return this.#openSingle(latin1, secrets)
    for (const text of jsonParts(latin1)) {
      const value = parseJson(text)
      if (!isRecord(value) || isOfBatch(value['error'])) continue
      const { id } = value
      const idText = typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : ''
      const call = this.#calls.get(idText)
      if (!call) continue
      this.#calls.delete(idText)
      call.over()
      call.completion.resolve(new BufferedResponse(text, { secrets, value }))
    }
    // Upstreams truncate the batch when the total response becomes too large.
    this.#sendAlone()
  }

  /** Handles a single response to the whole batch. */
  #openSingle(latin1: string, secrets: readonly string[] | undefined): void {
    if (!isRecord(parseJson(latin1))) return this.reject(malformed())
    // The batch may be too large, or the upstream does not support batches.
    if (classifyResponse('', latin1) !== 'busy') return this.#refused()
    const error = jsonMembers(latin1).get('error') ?? 'null'
    for (const { asked, completion } of this.#left()) {
      completion.resolve(new BufferedResponse(errorObjectText(asked?.idText ?? 'null', error), { secrets }))
    }
  }

  #refused(): void {
    this.#onRefused()
    this.#sendAlone()
  }

  #sendAlone(): void {
    for (const { body, signal, asked, completion } of this.#left()) {
      try {
        this.#parts.alone(body, signal, asked, completion)
      } catch (error) {
        completion.reject(error)
      }
    }
  }

  /** Removes and returns the calls that still wait. */
  #left(): readonly BatchedCall[] {
    const left = [...this.#calls.values()]
    this.#calls.clear()
    for (const call of left) call.over()
    return left
  }
}

/** A call in a batch. */
class BatchedCall {
  readonly body: string
  readonly signal: CancellationSignal
  readonly asked: CallInfo | undefined
  readonly completion: ResponseCompletion<UpstreamResponse>
  #onAborted: () => void = () => undefined

  constructor(
    body: string,
    signal: CancellationSignal,
    asked: CallInfo | undefined,
    completion: ResponseCompletion<UpstreamResponse>,
  ) {
    this.body = body
    this.signal = signal
    this.asked = asked
    this.completion = completion
  }

  whenAborted(listener: () => void): void {
    this.#onAborted = listener
    this.signal.addEventListener('abort', this)
  }

  handleEvent(): void {
    this.#onAborted()
    this.completion.reject(unavailable(undefined, this.signal))
  }

  over(): void {
    this.signal.removeEventListener('abort', this)
  }
}

/** Whether an error says that the call was rejected because of its batch. */
function isOfBatch(error: unknown): boolean {
  if (!isRecord(error)) return false
  const { message } = error
  return typeof message === 'string' && refusalWordings.test(message)
}
