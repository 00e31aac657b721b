import { FairShares } from '@fairlead/runtime'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { Admission, Requester } from '@fairlead/gateway-core/admission/types'
import {
  ConnectionGuard,
  type LongLivedConnection,
  type AccessLoss,
} from '@fairlead/gateway-core/authentication/connection-guard'
import type { Directory } from '@fairlead/gateway-core/authentication/directory'
import type { MemorySource } from '@fairlead/gateway-core/clients/client-memory'
import type { Meter } from '@fairlead/gateway-core/usage/meter'
import type { BeaconUpstreams, NodeUpstreams } from '../upstream/types.ts'
import type { BufferedResponse } from '@fairlead/gateway-core/rest/rest-call'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import type { HttpResponse } from '@fairlead/gateway-core/http/types'
import type { EventMetrics } from './metrics.ts'
import { EventClient } from './event-client.ts'
import { UpstreamStream, streamTimes } from './upstream-stream.ts'

/** A client of an event stream. */
export interface Subscriber {
  /** The caller, for access rules that change while the stream is open. */
  readonly requester: Requester
  /** Called with the number of events that were sent. Returns a reason to end the stream, or undefined. */
  push(events: number): string | undefined
}

/** The event streams of all nodes. */
export interface EventMultiplexers {
  /**
   * Streams events to a client until one side ends the stream. Headers that are already set on the response are sent
   * with it.
   *
   * @param topics - as the client requested them
   * @param response - response on which nothing was sent yet
   * @returns the upstream's rejection, when there is one and nothing was sent; undefined once the stream has ended
   * @throws RestError with status 502, 503 or 504 when no upstream can be reached; nothing was sent then
   */
  stream(
    grant: Grant,
    topics: readonly string[],
    response: HttpResponse,
    subscriber: Subscriber,
  ): Promise<BufferedResponse | undefined>
  /** Number of open event streams to upstreams. */
  upstreamStreams(): number
  /** Ends all streams and opens no new ones. Must be called before the server waits for its connections. */
  close(): void
}

/** Options of {@link createEventMultiplexers}. */
export interface EventMultiplexerOptions {
  readonly upstreams: BeaconUpstreams
  /** Source of the credentials that are still valid. */
  readonly directory: Directory
  readonly admission: Pick<Admission, 'checkRequester'>
  /** Maximum number of bytes that are buffered for one client. */
  readonly maxBufferBytes: number
  /** Memory for the buffered bytes of all clients; unlimited when omitted. */
  readonly memory?: MemorySource | undefined
  readonly metrics: EventMetrics
  readonly times?: typeof streamTimes
  /** Maximum number of event streams to upstreams, which organizations share. */
  readonly maxUpstreamStreams?: number | undefined
  /** Counts each event that a client receives. */
  readonly meter?: Meter | undefined
}

/** Each upstream stream has a connection, and a client chooses its combination of topics. */
const defaultMaxUpstreamStreams = 1_024
// Number of upstream streams that an owner may have although others have more.
const alwaysGranted = 8

/** Creates the event multiplexers: all clients of a node that request the same topics share one upstream stream. */
export function createEventMultiplexers(options: EventMultiplexerOptions): EventMultiplexers {
  const { upstreams, directory, admission, maxBufferBytes, metrics, meter, times = streamTimes } = options
  const { maxUpstreamStreams: capacity = defaultMaxUpstreamStreams } = options
  const shares = new FairShares({ capacity, alwaysGranted })
  const streams = new Set<UpstreamStream>()
  const joinable = new Map<string, UpstreamStream>()
  const guard = new ConnectionGuard({ protocol: 'beacon', directory, admission })
  let isClosed = false

  const streamOf = (grant: Grant, topics: readonly string[]): UpstreamStream => {
    if (isClosed) throw restarting()
    const sorted = [...new Set(topics)].toSorted()
    const nodeUpstreams = upstreams.of(grant)
    const key = JSON.stringify([nodeUpstreams.id, sorted])
    const existing = joinable.get(key)
    if (existing?.isOpenToClients) return existing
    const share = shares.take(grant, 1)
    if (!share) throw tooManyStreams()
    const stream = new UpstreamStream(nodeUpstreams, sorted, times, () => {
      shares.give(share, 1)
      streams.delete(stream)
      if (joinable.get(key) === stream) joinable.delete(key)
    })
    streams.add(stream)
    joinable.set(key, stream)
    return stream
  }

  const isFrom = (stream: UpstreamStream, grant: Grant): boolean => {
    const nodeUpstreams = findUpstreams(grant)
    return nodeUpstreams !== undefined && stream.isFrom(nodeUpstreams)
  }

  const isListed = (stream: UpstreamStream, grant: Grant): boolean => {
    const nodeUpstreams = findUpstreams(grant)
    return nodeUpstreams !== undefined && stream.isListedIn(nodeUpstreams)
  }

  const findUpstreams = (grant: Grant): NodeUpstreams | undefined => {
    try {
      return upstreams.of(grant)
    } catch {
      // The node no longer has a usable upstream.
      return undefined
    }
  }

  return {
    stream: async (grant, topics, response, { requester, push }) => {
      const onSent = (count: number, bytes: number) => {
        if (count === 0) return
        meter?.({
          protocol: 'beacon',
          grant,
          method: 'eventstream',
          status: 200,
          bytesOut: bytes,
          pushes: count,
        })
        const reason = push(count)
        if (reason !== undefined) client.end(reason)
      }
      const reservation = options.memory?.reserve(grant, 'pending')
      const client = new EventClient(response, maxBufferBytes, metrics, onSent, reservation)
      let current = grant
      let stream: UpstreamStream
      let opened: PromiseSettledResult<BufferedResponse | undefined>
      const connection: LongLivedConnection = {
        grant,
        requester,
        renew: (renewed) => {
          current = renewed
          // A client that has received nothing yet can still join another stream.
          return !client.isStarted || isListed(stream, renewed)
        },
        end: (loss) => client.end(reasonOf(loss)),
      }
      guard.add(connection)
      try {
        do {
          stream = streamOf(current, topics)
          ;[opened] = await Promise.allSettled([stream.opened()])
          // The upstreams of the node may have changed in the meantime.
        } while (!isFrom(stream, current))
        if (opened.status === 'rejected') throw opened.reason
        if (opened.value) return opened.value
        stream.add(client)
        await client.closed
        return undefined
      } finally {
        guard.delete(connection)
      }
    },
    upstreamStreams: () => streams.size,
    close: () => {
      isClosed = true
      guard.close()
      for (const stream of streams) stream.end('the gateway is restarting')
    },
  }
}

function reasonOf({ cause, reason = '' }: AccessLoss): string {
  switch (cause) {
    case 'revoked':
    case 'expired':
      return 'the credential is no longer valid'
    case 'rule':
      return reason
    case 'protocol':
      return 'the node no longer offers this protocol'
    case 'moved':
      return 'the upstreams of the node have changed'
    default:
      return cause satisfies never
  }
}

function tooManyStreams(): RestError {
  const message =
    'The organization has too many event streams with different topics. Subscribe to the same topics, or close a stream.'
  return new RestError(503, message, { 'retry-after': '1' })
}

function restarting(): RestError {
  return new RestError(503, 'The gateway is restarting. Try again.', { 'retry-after': '1' })
}
