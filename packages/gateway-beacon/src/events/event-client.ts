import type { EventMetrics } from './metrics.ts'
import { finished, type Writable } from 'node:stream'
import type { MemoryReservation } from '@fairlead/gateway-core/clients/client-memory'
import type { HttpResponse } from '@fairlead/gateway-core/http/types'
import { guardedTimeout } from '@fairlead/runtime'

/** Called with the number of events that were sent, and their size in bytes. */
export type EventsSent = (count: number, bytes: number) => void

// When an upstream ends its streams, all clients reconnect, but not at the same time.
const minRetryMs = 500
const maxRetryMs = 2_500
// Part of the memory of the connection.
const unreservedBytes = 16_384
// How long a client may take to read the final comment.
const endTimeoutMs = 10_000

/** One client of an event stream, from the response headers to the end of the response. */
export class EventClient {
  /** Resolves when the response has ended, whichever side ended it. */
  readonly closed: Promise<void>
  readonly #response: HttpResponse
  readonly #content: Writable
  readonly #maxBufferBytes: number
  readonly #metrics: EventMetrics
  readonly #onSent: EventsSent | undefined
  readonly #memory: MemoryReservation | undefined
  #isStarted = false

  /**
   * @param response - response on which nothing was sent yet
   * @param maxBufferBytes - maximum number of bytes that are buffered for the client
   * @param onSent - called for each write to the client
   * @param memory - empty reservation for the buffered bytes; none are reserved when omitted
   */
  constructor(
    response: HttpResponse,
    maxBufferBytes: number,
    metrics: EventMetrics,
    onSent?: EventsSent,
    memory?: MemoryReservation,
  ) {
    this.#response = response
    this.#content = response.contentStream()
    this.#maxBufferBytes = maxBufferBytes
    this.#metrics = metrics
    this.#onSent = onSent
    this.#memory = memory
    this.closed = new Promise((resolve) => finished(this.#content, () => resolve()))
    if (memory) void this.closed.then(() => memory.release())
  }

  /** Whether {@link start} has been called. */
  get isStarted(): boolean {
    return this.#isStarted
  }

  /** Sends the response headers. */
  start(): void {
    this.#isStarted = true
    if (this.#response.destroyed) return
    this.#metrics.open.inc()
    void this.closed.then(() => this.#metrics.open.dec())
    this.#response.statusCode = 200
    this.#response.setHeader('content-type', 'text/event-stream')
    this.#response.setHeader('cache-control', 'no-cache, no-transform')
    this.#response.setHeader('x-accel-buffering', 'no')
    const retryMs = minRetryMs + Math.floor(Math.random() * (maxRetryMs - minRetryMs))
    this.#content.write(`retry: ${retryMs}\n:\n\n`)
  }

  /**
   * Sends complete events. Disconnects a client that has too many unread bytes, or may not hold more memory.
   *
   * @param count - number of events; comments do not count
   */
  write(events: Buffer, count: number): void {
    if (this.#content.writableEnded || this.#response.destroyed) return
    this.#content.write(events)
    this.#onSent?.(count, events.length)
    if (this.#canHold(this.#content.writableLength)) return
    this.#metrics.slowClients.inc()
    this.#response.destroy()
  }

  #canHold(bytes: number): boolean {
    if (bytes > this.#maxBufferBytes) return false
    if (bytes > unreservedBytes) return this.#memory?.resize(bytes) !== false
    this.#memory?.release()
    return true
  }

  /** Ends the stream with the reason in a comment. */
  end(reason: string): void {
    if (this.#content.writableEnded || this.#response.destroyed) return
    if (!this.#response.headersSent) {
      this.#response.destroy()
      return
    }
    this.#content.end(`: ${reason}\n\n`)
    const endTimer = guardedTimeout(() => this.#response.destroy(), endTimeoutMs).unref()
    void this.closed.then(() => clearTimeout(endTimer))
  }
}
