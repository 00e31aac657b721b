import {
  createNodeServer,
  type NodeRequest,
  type NodeResponse,
} from '@fairlead/gateway-core/http/adapters/node-http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { createDirectory, type Directory, staleGrants } from '@fairlead/gateway-core/authentication/directory'
import type { Meter } from '@fairlead/gateway-core/usage/meter'
import { testUpstreams, grantOf } from './node-set.ts'
import { beaconFormat } from '../http/beacon-format.ts'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import {
  type EventMultiplexerOptions,
  type EventMultiplexers,
  createEventMultiplexers,
} from '../events/multiplexers.ts'
import { type StreamTimes, streamTimes } from '../events/upstream-stream.ts'

/** The event multiplexers alone behind an HTTP server, in front of some upstreams. */
export interface EventGateway {
  readonly url: string
  readonly multiplexers: EventMultiplexers
  readonly directory: Directory
  /** Number of received requests, open clients, and disconnected slow clients. */
  readonly counts: { requests: number; open: number; slowClients: number }
  /** Makes the credential valid, with the given changes; {@link EventGateway.revoke} revokes it. */
  grant(change?: Partial<Grant>): void
  revoke(): void
}

/**
 * Starts the multiplexers until the running test ends. A request uses the credential `credential`, unless its query names
 * another one.
 */
export async function eventGateway(
  servers: readonly { readonly url: string }[],
  times: Partial<StreamTimes> = {},
  maxBufferBytes = 1_048_576,
  meter?: Meter,
  options: Pick<EventMultiplexerOptions, 'maxUpstreamStreams' | 'memory'> = {},
): Promise<EventGateway> {
  const directory = createDirectory()
  const grant = (change: Partial<Grant> = {}) =>
    directory.replace([{ sha256: 'secret', grant: { ...grantOf(servers), ...change } }])
  grant()
  const counts = { requests: 0, open: 0, slowClients: 0 }
  const multiplexers = createEventMultiplexers({
    upstreams: testUpstreams({ isStale: staleGrants(directory) }),
    directory,
    admission: {
      checkRequester: ({ protocols }) =>
        protocols.includes('beacon') ? undefined : { status: 404, reason: 'not offered' },
    },
    maxBufferBytes,
    ...options,
    meter,
    metrics: {
      open: { inc: () => (counts.open += 1), dec: () => (counts.open -= 1) },
      slowClients: { inc: () => (counts.slowClients += 1) },
    },
    times: { ...streamTimes, headersTimeoutMs: 500, idleGraceMs: 100, ...times },
  })
  const subscriber = { requester: { address: '127.0.0.1', origin: undefined }, push: () => undefined }
  const handle = async (request: NodeRequest, response: NodeResponse) => {
    counts.requests += 1
    const { searchParams } = new URL(request.url ?? '', 'http://gateway')
    const current = directory.current(searchParams.get('credential') ?? 'credential')
    if (!current) {
      response.writeHead(401).end()
      return
    }
    response.setHeader('x-request-id', 'request')
    try {
      const rejection = await multiplexers.stream(
        current,
        searchParams.getAll('topics'),
        response,
        subscriber,
      )
      if (rejection) response.writeHead(rejection.status, rejection.headers).end(rejection.bytes)
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      response.writeHead(error.status, error.headers).end(beaconFormat.writeError(error))
    }
  }
  const server = createNodeServer({}, (request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    multiplexers.close()
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/eth/v1/events`
  return { url, multiplexers, directory, counts, grant, revoke: () => directory.replace([]) }
}
