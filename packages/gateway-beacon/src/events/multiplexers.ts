import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { Directory } from '@fairlead/gateway-core/authentication/directory'
import type { Meter } from '@fairlead/gateway-core/usage/meter'
import type { BeaconUpstreams } from '../upstream/types.ts'
import type { BufferedResponse } from '@fairlead/gateway-core/rest/rest-call'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import type { HttpResponse } from '@fairlead/gateway-core/http/types'
import type { EventMetrics } from './metrics.ts'
import { EventClient } from './event-client.ts'
import { UpstreamStream, streamTimes } from './upstream-stream.ts'
import { guardedInterval } from '@fairlead/http1'

/** What may end the stream of a client; each gives a reason for it, or undefined. */
export interface StreamLimits {
  /** Whether the client may still come in, after what its credential opens has changed. */
  enter(grant: Grant): string | undefined
  /** Hears of events that were passed on. */
  push(events: number): string | undefined
}

/** The event streams of all hosted nodes. */
export interface EventMultiplexers {
  /**
   * Streams events to a client until one side ends. Headers that were set on the response before go out with the stream.
   *
   * @param topics - as the client asked for them
   * @param response - nothing was sent on it so far
   * @param limits - without any, the stream is ended with its credential only
   * @returns the node's refusal, when there was one and nothing was sent; undefined once the stream is over
   * @throws RestError with status 502, 503 or 504 when no node can be reached; nothing was sent then
   */
  stream(
    grant: Grant,
    topics: readonly string[],
    response: HttpResponse,
    limits?: StreamLimits,
  ): Promise<BufferedResponse | undefined>
  /** How many streams there are at nodes. */
  upstreamStreams(): number
  /** Ends all streams and opens no others; to be called before the server waits for its connections. */
  close(): void
}

/** What the multiplexers are made with. */
export interface EventMultiplexerOptions {
  readonly nodes: BeaconUpstreams
  /** Tells what is still in force. */
  readonly directory: Directory
  /** Most bytes that wait for one client. */
  readonly maxBufferBytes: number
  readonly metrics: EventMetrics
  readonly times?: typeof streamTimes
  /** Counts every event that a client gets. */
  readonly meter?: Meter | undefined
}

// A credential may end by itself, of which no snapshot tells.
const expiryMs = 1_000

/** Makes the event multiplexers: all clients of a node that ask for the same topics share one stream of the node. */
export function createEventMultiplexers(options: EventMultiplexerOptions): EventMultiplexers {
  const { nodes, directory, maxBufferBytes, metrics, meter, times = streamTimes } = options
  const streams = new Map<string, UpstreamStream>()
  const clients = new Map<EventClient, Streaming>()
  let isClosed = false

  const streamOf = (grant: Grant, topics: readonly string[]): UpstreamStream => {
    const sorted = [...new Set(topics)].toSorted()
    const key = JSON.stringify([grant.upstreams['beacon'], sorted])
    const known = streams.get(key)
    if (known) return known
    const stream = new UpstreamStream(nodes.of(grant), sorted, times, () => streams.delete(key))
    streams.set(key, stream)
    return stream
  }

  const endUnentitled = () => {
    for (const [client, streaming] of clients) {
      const reason = lostEntitlement(streaming, directory.current(streaming.grant.credentialId))
      if (reason !== undefined) client.end(reason)
    }
  }
  const endHearing = directory.onReplaced(endUnentitled)
  const expiry = guardedInterval(endUnentitled, expiryMs).unref()

  return {
    stream: async (grant, topics, response, limits) => {
      if (isClosed) throw restarting()
      const client = new EventClient(response, maxBufferBytes, metrics, (count, bytes) => {
        if (count === 0) return
        meter?.({
          protocol: 'beacon',
          grant,
          method: 'eventstream',
          status: 200,
          bytesOut: bytes,
          pushes: count,
        })
        const reason = limits?.push(count)
        if (reason !== undefined) client.end(reason)
      })
      clients.set(client, { grant, limits })
      try {
        const rejection = await streamOf(grant, topics).join(client)
        if (rejection) return rejection
        await client.closed
        return undefined
      } finally {
        clients.delete(client)
      }
    },
    upstreamStreams: () => streams.size,
    close: () => {
      isClosed = true
      endHearing()
      clearInterval(expiry)
      for (const stream of streams.values()) stream.end('the service restarts')
    },
  }
}

interface Streaming {
  readonly grant: Grant
  readonly limits: StreamLimits | undefined
}

function lostEntitlement({ grant, limits }: Streaming, current: Grant | undefined): string | undefined {
  if (!current) return 'the credential is no longer in force'
  if (current === grant) return undefined
  if (!current.protocols.includes('beacon')) return 'the node no longer offers this protocol'
  const reason = limits?.enter(current)
  if (reason !== undefined) return reason
  return current.upstreams['beacon'] === grant.upstreams['beacon'] ? undefined : 'the node has moved'
}

function restarting(): RestError {
  return new RestError(503, 'The service restarts.', { 'retry-after': '1' })
}
