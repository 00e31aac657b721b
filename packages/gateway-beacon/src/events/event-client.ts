import type { EventMetrics } from './metrics.ts'
import { finished, type Writable } from 'node:stream'
import type { HttpResponse } from '@fairlead/gateway-core/http/types'
import { guardedTimeout } from '@fairlead/http1'

/** Hears how many events were passed on, and their bytes. */
export type EventsSent = (count: number, bytes: number) => void

// When a node ends its streams all clients come back, but not at the same time.
const shortestRetryMs = 500
const longestRetryMs = 2_500
// How long a client that is told of the end may take to read it.
const endMs = 10_000

/** One client of an event stream, from the head of its answer to the end. */
export class EventClient {
  /** Resolves when the answer is over, whoever ended it. */
  readonly closed: Promise<void>
  readonly #response: HttpResponse
  readonly #content: Writable
  readonly #maxBufferBytes: number
  readonly #metrics: EventMetrics
  readonly #sent: EventsSent | undefined

  /**
   * @param response - nothing was sent on it so far
   * @param maxBufferBytes - most bytes that may wait for the client
   * @param sent - hears what was passed on
   */
  constructor(response: HttpResponse, maxBufferBytes: number, metrics: EventMetrics, sent?: EventsSent) {
    this.#response = response
    this.#content = response.contentStream()
    this.#maxBufferBytes = maxBufferBytes
    this.#metrics = metrics
    this.#sent = sent
    this.closed = new Promise((resolve) => finished(this.#content, () => resolve()))
  }

  /** Sends the head of the answer. */
  start(): void {
    if (this.#response.destroyed) return
    this.#metrics.open.inc()
    void this.closed.then(() => this.#metrics.open.dec())
    this.#response.statusCode = 200
    this.#response.setHeader('content-type', 'text/event-stream')
    this.#response.setHeader('cache-control', 'no-cache, no-transform')
    this.#response.setHeader('x-accel-buffering', 'no')
    const retryMs = shortestRetryMs + Math.floor(Math.random() * (longestRetryMs - shortestRetryMs))
    this.#content.write(`retry: ${retryMs}\n:\n\n`)
  }

  /**
   * Passes whole events on; a client that has too many unread is cut off.
   *
   * @param count - how many they are; comments are none
   */
  write(events: Buffer, count: number): void {
    if (this.#content.writableEnded || this.#response.destroyed) return
    this.#content.write(events)
    this.#sent?.(count, events.length)
    if (this.#content.writableLength <= this.#maxBufferBytes) return
    this.#metrics.slow.inc()
    this.#response.destroy()
  }

  /** Ends the stream and says why in a comment. */
  end(reason: string): void {
    if (this.#content.writableEnded || this.#response.destroyed) return
    if (!this.#response.headersSent) {
      this.#response.destroy()
      return
    }
    this.#content.end(`: ${reason}\n\n`)
    const impatience = guardedTimeout(() => this.#response.destroy(), endMs).unref()
    void this.closed.then(() => clearTimeout(impatience))
  }
}
