import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeUpstreams } from '../upstream/types.ts'
import { readHealth } from '../upstream/health.ts'
import type { BufferedResponse, RestUpstream, StreamedResponse } from '@fairlead/gateway-core/rest/rest-call'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import type { EventClient } from './event-client.ts'
import { countEvents, CompleteEvents } from './complete-events.ts'
import { guardedInterval, guardedTimeout } from '@fairlead/runtime'

/** Timeouts and intervals of event streams. */
export interface StreamTimes {
  /** How long clients wait for the upstream's response headers. Some upstreams send none before the first event. */
  readonly headersTimeoutMs: number
  /** After this time without a byte, clients receive a comment, which keeps proxies from closing the connection. */
  readonly keepAliveMs: number
  /** After this time without a byte, the gateway checks the health of the upstream. */
  readonly silenceMs: number
  /** Idle grace period: how long a stream without clients stays open. */
  readonly idleGraceMs: number
}

/** The timeouts and intervals of the gateway. */
export const streamTimes: StreamTimes = {
  headersTimeoutMs: 2_000,
  keepAliveMs: 15_000,
  silenceMs: 180_000,
  idleGraceMs: 5_000,
}

const keepAlive = Buffer.from(':\n\n')
const healthTimeoutMs = 10_000
// For clients that reached no upstream. Clients in browsers wait that long anyway.
const retryHeaders = { 'retry-after': '1' }

/** One upstream event stream and the clients that share it. */
export class UpstreamStream {
  readonly #upstreams: NodeUpstreams
  /** The upstream that sends the events; undefined before it is chosen. */
  #upstream: RestUpstream | undefined
  readonly #target: string
  readonly #times: StreamTimes
  readonly #onEnded: () => void
  readonly #abortController = new AbortController()
  readonly #clients = new Set<EventClient>()
  readonly #opening: Promise<BufferedResponse | undefined>
  readonly #keepAliveTimer: NodeJS.Timeout
  #silenceTimer: NodeJS.Timeout | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #waitingClients = 0

  /**
   * @param upstreams - the best upstream is tried first, and the next one when it cannot be reached
   * @param topics - without duplicates
   * @param onEnded - called once, when the stream has ended or could not be opened
   */
  constructor(upstreams: NodeUpstreams, topics: readonly string[], times: StreamTimes, onEnded: () => void) {
    this.#upstreams = upstreams
    this.#target = `/eth/v1/events?${topics.map((topic) => `topics=${encodeURIComponent(topic)}`).join('&')}`
    this.#times = times
    this.#onEnded = onEnded
    this.#keepAliveTimer = guardedInterval(() => this.#broadcast(keepAlive), times.keepAliveMs).unref()
    this.#opening = this.#open()
  }

  /**
   * Waits until the stream has opened.
   *
   * @returns the upstream's rejection, when there is one
   * @throws RestError when no upstream can be reached
   */
  async opened(): Promise<BufferedResponse | undefined> {
    clearTimeout(this.#idleTimer)
    this.#waitingClients += 1
    try {
      return await this.#opening
    } finally {
      this.#waitingClients -= 1
      this.#endAfterGrace()
    }
  }

  /** Adds a client to an open stream. It receives the response headers, and the events from now on. */
  add(client: EventClient): void {
    clearTimeout(this.#idleTimer)
    client.start()
    this.#clients.add(client)
    void client.closed.then(() => this.#removeClient(client))
    if (this.#abortController.signal.aborted) client.end(upstreamEnded)
  }

  /** Whether a client of these upstreams may join the stream. */
  isFrom(upstreams: NodeUpstreams): boolean {
    return upstreams === this.#upstreams && (this.#upstream === undefined || this.isListedIn(upstreams))
  }

  /** Whether a client may stay after its node has got these upstreams. */
  isListedIn(upstreams: NodeUpstreams): boolean {
    return this.#upstream !== undefined && upstreams.includes(this.#upstream)
  }

  /** Whether new clients may join. */
  get isOpenToClients(): boolean {
    return this.#upstream === undefined || this.#upstreams.uses(this.#upstream)
  }

  /** Ends the upstream stream and the client streams. Clients receive the reason. */
  end(reason: string): void {
    if (this.#abortController.signal.aborted) return
    this.#abortController.abort()
    clearInterval(this.#keepAliveTimer)
    clearTimeout(this.#silenceTimer)
    clearTimeout(this.#idleTimer)
    for (const client of this.#clients) client.end(reason)
    this.#onEnded()
  }

  async #open(): Promise<BufferedResponse | undefined> {
    try {
      const ranked = await this.#upstreams.ranked()
      const rejection = await this.#openFirstAvailable(ranked as [RestUpstream, ...RestUpstream[]])
      if (rejection) this.end(upstreamEnded)
      return rejection
    } catch (error) {
      this.end(upstreamEnded)
      throw error instanceof RestError ? new RestError(error.status, error.message, retryHeaders) : error
    }
  }

  async #openFirstAvailable([best, next, ...others]: [RestUpstream, ...RestUpstream[]]): Promise<
    BufferedResponse | undefined
  > {
    try {
      // The upstreams may have changed since they were ranked.
      if (!this.#upstreams.uses(best)) throw new RestError(503, 'The upstreams of the node have changed.')
      const rejection = await this.#openUpstream(best)
      if (!rejection || !isFailure(rejection) || !next) return rejection
    } catch (error) {
      if (!(error instanceof RestError) || !next) throw error
    }
    return this.#openFirstAvailable([next, ...others])
  }

  async #openUpstream(upstream: RestUpstream): Promise<BufferedResponse | undefined> {
    this.#upstream = upstream
    const { signal } = this.#abortController
    const headers = { accept: 'text/event-stream' }
    const pending = upstream.request({
      method: 'GET',
      target: this.#target,
      headers,
      // All clients share it.
      tenant: undefined,
      signal,
      isStreaming: true,
    })
    const response = await Promise.race([
      pending,
      sleep(this.#times.headersTimeoutMs, undefined, { ref: false }),
    ])
    if (response && !('body' in response)) return response
    if (response) this.#relay(response)
    else void pending.then((delayed) => this.#relay(delayed)).catch(() => this.end(upstreamEnded))
    this.#silenceTimer = guardedTimeout(() => void this.#onSilence(upstream), this.#times.silenceMs).unref()
    return undefined
  }

  #relay(response: StreamedResponse | BufferedResponse): void {
    if (!('body' in response) || !/^text\/event-stream\b/i.test(response.headers['content-type'] ?? '')) {
      if ('body' in response) void response.body.dump().catch(() => undefined)
      throw new RestError(502, 'The upstream did not return an event stream.')
    }
    const splitter = new CompleteEvents()
    const { body } = response
    body.on('data', (chunk: Buffer) => {
      this.#silenceTimer?.refresh()
      try {
        const events = splitter.push(chunk)
        if (events) this.#broadcast(events)
      } catch {
        this.end(upstreamEnded)
      }
    })
    body.once('error', () => this.end(upstreamEnded)).once('close', () => this.end(upstreamEnded))
  }

  #broadcast(events: Buffer): void {
    this.#keepAliveTimer.refresh()
    const count = countEvents(events)
    for (const client of this.#clients) client.write(events, count)
  }

  /**
   * A quiet topic is not a fault: the stream stays open while the upstream is healthy. The operating system detects
   * broken connections.
   */
  async #onSilence(upstream: RestUpstream): Promise<void> {
    const { signal } = this.#abortController
    try {
      await readHealth(upstream, AbortSignal.any([signal, AbortSignal.timeout(healthTimeoutMs)]))
      if (!signal.aborted) this.#silenceTimer?.refresh()
    } catch {
      this.end(upstreamEnded)
    }
  }

  #removeClient(client: EventClient): void {
    this.#clients.delete(client)
    this.#endAfterGrace()
  }

  /** Ends a stream without clients after the idle grace period. */
  #endAfterGrace(): void {
    if (this.#clients.size > 0 || this.#waitingClients > 0 || this.#abortController.signal.aborted) return
    clearTimeout(this.#idleTimer)
    this.#idleTimer = guardedTimeout(() => this.end(upstreamEnded), this.#times.idleGraceMs).unref()
  }
}

/** Whether another upstream may have a better response. */
function isFailure({ status }: BufferedResponse): boolean {
  return status >= 500 || status === 429
}

/** The only sign of a gap that every client of an event stream understands is the end of the stream. */
const upstreamEnded = 'the event stream of the upstream ended'
