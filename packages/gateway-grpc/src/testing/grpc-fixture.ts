import { createHttp2Server, createPortServer } from '@fairlead/grpc-transport'
import type { ProgressDeadlines } from '@fairlead/gateway-core/http/progress-deadlines'
import { createHttp2Listener, type StreamListener } from '@fairlead/gateway-core/http/http2-listener'
import { http2Limits } from '@fairlead/gateway-core/clients/client-costs'
import { createNodeServer } from '@fairlead/gateway-core/http/adapters/node-http'
import type { Http2Server } from 'node:http2'
import { onTestFinished } from 'vitest'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { pino } from 'pino'
import { testMetrics } from '@fairlead/gateway-core/testing/test-metrics'
import { createGrpcMetrics } from '../metrics.ts'
import { createDirectory } from '@fairlead/gateway-core/authentication/directory'
import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import { createMeter } from '@fairlead/gateway-core/usage/meter'
import { grantWith, secondNode } from '@fairlead/gateway-core/testing/limited-grant'
import { memory } from '@fairlead/gateway-core/testing/memory'
import {
  type AuthenticatorChoices,
  testAuthenticator,
} from '@fairlead/gateway-core/testing/test-authenticator'
import { createRouting } from '@fairlead/gateway-core/protocol/routing'
import { grpc as description } from '../description.ts'
import { createGrpc, type GrpcOptions } from '../create-grpc.ts'

/** x-token of the node of {@link grpcInFrontOf}. It occurs nowhere else, so that a search finds a leak. */
export const xToken = 'c4n4ry-x-token'

/** The gRPC of a gateway alone, with one node. */
export interface GrpcFixture {
  readonly url: string
  readonly port: number
  readonly http2: Http2Server
  /** Makes the credential valid, with the given changes; `'revoked'` revokes it. */
  grant(change?: Partial<Grant> | 'revoked'): void
  log(): string
  /** Value of a metrics sample; `metrics` returns all metrics as text. */
  sample(name: string): Promise<string | undefined>
  metrics(): Promise<string>
  /** States of the upstreams that were used. */
  states(): readonly UpstreamState[]
  stop(drainMs?: number): Promise<void>
}

/** Options of {@link grpcInFrontOf}. */
export interface GrpcFixtureOptions extends Partial<GrpcOptions> {
  readonly deadlines?: ProgressDeadlines
  /** Handles the streams that are not gRPC. */
  readonly fallback?: StreamListener
  readonly nodeDomain?: string
  readonly grant?: Partial<Grant>
  /** x-token of a second node with the same upstreams, which no change affects. */
  readonly secondToken?: string | undefined
  readonly passing?: AuthenticatorChoices
}

const rejectStream: StreamListener = (stream) => stream.respond({ ':status': 415 }, { endStream: true })

/** Starts the gRPC of a gateway without a database until the running test ends. */
export async function grpcInFrontOf(
  upstream: string,
  {
    nodeDomain,
    grant: initialGrant = {},
    secondToken,
    passing,
    deadlines,
    fallback = rejectStream,
    ...options
  }: GrpcFixtureOptions = {},
): Promise<GrpcFixture> {
  const directory = createDirectory()
  const grant = grantWith({
    kind: 'x-token',
    chain: 'solana',
    protocols: ['grpc'],
    upstreams: { grpc: upstream },
    ...initialGrant,
  })
  const second = secondNode(secondToken, grant)
  const replace = (change: Partial<Grant> | 'revoked' = {}) =>
    directory.replace([
      ...(change === 'revoked' ? [] : [{ sha256: sha256Hex(xToken), grant: { ...grant, ...change } }]),
      ...second,
    ])
  replace()
  const lines = memory()
  const metrics = testMetrics()
  const { authenticator, admission } = testAuthenticator(directory, { nodeDomain, ...passing })
  const grpc = createGrpc({
    directory,
    authenticator,
    admission,
    meter: createMeter(metrics.requests),
    metrics: createGrpcMetrics(metrics.registry),
    log: pino({ level: 'debug' }, lines.stream),
    corsOrigin: '*',
    maxBodyBytes: 1_048_576,
    embedded: undefined,
    connectTimeoutMs: 2_000,
    rules: [],
    maxOpenCalls: 1_000,
    maxStalledCalls: 256,
    ...options,
  })
  const protocol = { description, handle: grpc.web, stream: grpc.stream }
  const routing = createRouting([protocol], [], (_, response) => response.writeHead(404).end('over HTTP/1.1'))
  const http2 = createHttp2Server(http2Limits.authenticated)
  http2.on('stream', createHttp2Listener(routing, deadlines, fallback))
  const http1 = createNodeServer({}, routing.onRequest)
  const server = createPortServer({ http1, http2 })
  await server.listen({ host: '127.0.0.1', port: 0 })
  let stopping: Promise<void> | undefined
  const stop = (drainMs = 0) =>
    (stopping ??= Promise.all([server.close(drainMs + 500), grpc.stop(drainMs)])
      .then(() => grpc.close())
      .then(() => admission.close()))
  onTestFinished(() => stop())
  const all = metrics.text
  return {
    url: `http://127.0.0.1:${server.address.port}`,
    port: server.address.port,
    http2,
    grant: replace,
    log: lines.text,
    sample: async (name) =>
      (await all())
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length + 1),
    metrics: all,
    states: () => grpc.upstreams.states(),
    stop,
  }
}
