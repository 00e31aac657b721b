import { setTimeout as sleep } from 'node:timers/promises'
import type { BeaconNodes } from '../upstream/types.ts'
import { readHealth } from '../upstream/health.ts'
import type { BufferedResponse, RestUpstream, StreamedResponse } from '@fairlead/gateway-core/rest/rest-call'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import type { EventClient } from './event-client.ts'
import { countEvents, CompleteEvents } from './complete-events.ts'
import { guardedInterval, guardedTimeout } from '@fairlead/http1'

/** Timeouts and intervals of event streams. */
export interface StreamTimes {
  /** How long clients wait for the upstream's response headers. Some upstreams send none before the first event. */
  readonly headMs: number
  /** After this time without a byte, clients receive a comment, which keeps proxies from closing the connection. */
  readonly keepAliveMs: number
  /** After this time without a byte, the gateway checks the health of the upstream. */
  readonly silenceMs: number
  /** Idle grace period: how long a stream without clients stays open. */
  readonly lingerMs: number
}

/** The timeouts and intervals of the gateway. */
export const streamTimes: StreamTimes = {
  headMs: 2_000,
  keepAliveMs: 15_000,
  silenceMs: 180_000,
  lingerMs: 5_000,
}

const keepAlive = Buffer.from(':\n\n')
const healthMs = 10_000
// For clients that reached no upstream. Clients in browsers wait that long anyway.
const soon = { 'retry-after': '1' }

/** One upstream event stream and the clients that share it. */
export class UpstreamStream {
  readonly #nodes: BeaconNodes
  readonly #target: string
  readonly #times: StreamTimes
  readonly #onEnded: () => void
  readonly #stopped = new AbortController()
  readonly #clients = new Set<EventClient>()
  readonly #opening: Promise<BufferedResponse | undefined>
  readonly #keepAlive: NodeJS.Timeout
  #silence: NodeJS.Timeout | undefined
  #linger: NodeJS.Timeout | undefined
  #joining = 0

  /**
   * @param nodes - the best upstream is tried first, and the next one when it cannot be reached
   * @param topics - without duplicates
   * @param onEnded - called once, when the stream has ended or could not be opened
   */
  constructor(nodes: BeaconNodes, topics: readonly string[], times: StreamTimes, onEnded: () => void) {
    this.#nodes = nodes
    this.#target = `/eth/v1/events?${topics.map((topic) => `topics=${encodeURIComponent(topic)}`).join('&')}`
    this.#times = times
    this.#onEnded = onEnded
    this.#keepAlive = guardedInterval(() => this.#tell(keepAlive), times.keepAliveMs).unref()
    this.#opening = this.#open()
  }

  /**
   * Adds a client, which receives the events from now on.
   *
   * @returns the upstream's rejection, when there is one and nothing was sent
   * @throws RestError when no upstream can be reached; nothing was sent then
   */
  async join(client: EventClient): Promise<BufferedResponse | undefined> {
    clearTimeout(this.#linger)
    this.#joining += 1
    try {
      const rejection = await this.#opening
      if (rejection) return rejection
      client.start()
      this.#clients.add(client)
      void client.closed.then(() => this.#leave(client))
      if (this.#stopped.signal.aborted) client.end(nodeEnded)
      return undefined
    } finally {
      this.#joining -= 1
    }
  }

  /** Ends the upstream stream and the client streams. Clients receive the reason. */
  end(reason: string): void {
    if (this.#stopped.signal.aborted) return
    this.#stopped.abort()
    clearInterval(this.#keepAlive)
    clearTimeout(this.#silence)
    clearTimeout(this.#linger)
    for (const client of this.#clients) client.end(reason)
    this.#onEnded()
  }

  async #open(): Promise<BufferedResponse | undefined> {
    try {
      const upstreams = await this.#nodes.ranked()
      const rejection = await this.#openAtBest(upstreams as [RestUpstream, ...RestUpstream[]])
      if (rejection) this.end(nodeEnded)
      return rejection
    } catch (error) {
      this.end(nodeEnded)
      throw error instanceof RestError ? new RestError(error.status, error.message, soon) : error
    }
  }

  async #openAtBest([best, next, ...others]: [RestUpstream, ...RestUpstream[]]): Promise<
    BufferedResponse | undefined
  > {
    try {
      const rejection = await this.#openAt(best)
      if (!rejection || !isFailure(rejection) || !next) return rejection
    } catch (error) {
      if (!(error instanceof RestError) || !next) throw error
    }
    return this.#openAtBest([next, ...others])
  }

  async #openAt(upstream: RestUpstream): Promise<BufferedResponse | undefined> {
    const { signal } = this.#stopped
    const headers = { accept: 'text/event-stream' }
    const asked = upstream.request({ method: 'GET', target: this.#target, headers, signal, endless: true })
    const answer = await Promise.race([asked, sleep(this.#times.headMs, undefined, { ref: false })])
    if (answer && !('body' in answer)) return answer
    if (answer) this.#follow(answer)
    else void asked.then((late) => this.#follow(late)).catch(() => this.end(nodeEnded))
    this.#silence = guardedTimeout(() => void this.#whenSilent(upstream), this.#times.silenceMs).unref()
    return undefined
  }

  #follow(answer: StreamedResponse | BufferedResponse): void {
    if (!('body' in answer) || !/^text\/event-stream\b/i.test(answer.headers['content-type'] ?? '')) {
      if ('body' in answer) void answer.body.dump().catch(() => undefined)
      throw new RestError(502, 'The node did not answer with an event stream.')
    }
    const whole = new CompleteEvents()
    const { body } = answer
    body.on('data', (chunk: Buffer) => {
      this.#silence?.refresh()
      try {
        const events = whole.take(chunk)
        if (events) this.#tell(events)
      } catch {
        this.end(nodeEnded)
      }
    })
    body.once('error', () => this.end(nodeEnded)).once('close', () => this.end(nodeEnded))
  }

  #tell(events: Buffer): void {
    this.#keepAlive.refresh()
    const count = countEvents(events)
    for (const client of this.#clients) client.write(events, count)
  }

  /**
   * A quiet topic is not a fault: the stream stays open while the upstream is healthy. The operating system detects
   * broken connections.
   */
  async #whenSilent(upstream: RestUpstream): Promise<void> {
    const { signal } = this.#stopped
    try {
      await readHealth(upstream, AbortSignal.any([signal, AbortSignal.timeout(healthMs)]))
      if (!signal.aborted) this.#silence?.refresh()
    } catch {
      this.end(nodeEnded)
    }
  }

  #leave(client: EventClient): void {
    this.#clients.delete(client)
    if (this.#clients.size > 0 || this.#joining > 0 || this.#stopped.signal.aborted) return
    clearTimeout(this.#linger)
    this.#linger = guardedTimeout(() => this.end(nodeEnded), this.#times.lingerMs).unref()
  }
}

/** Whether another upstream may have a better response. */
function isFailure({ status }: BufferedResponse): boolean {
  return status >= 500 || status === 429
}

/** The only sign of a gap that every client of an event stream understands is the end of the stream. */
const nodeEnded = "the node's event stream ended"
