import {
  createGrpcServer,
  GrpcError,
  type Handlers,
  implement,
  type ServerCall,
  Status,
} from '@fairlead/grpc-transport'
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { reservePort } from '@fairlead/vitest/reserved-port'
import { testService } from './test-service.ts'

/** An upstream that runs in this process. */
export interface TestNode {
  readonly url: string
  /** Every call so far that the default handler served. */
  readonly calls: readonly ServerCall[]
  readonly sessions: ReadonlySet<ServerHttp2Session>
  /** Number of open calls. */
  readonly openCalls: number
  stop(): Promise<void>
}

/** An upstream that serves {@link testService}, until the running test ends. */
export async function grpcNode(
  handlers: Handlers<typeof testService> = {},
  port?: number,
): Promise<TestNode> {
  const node = await startGrpcNode(handlers, port)
  onTestFinished(node.stop)
  return node
}

/** An upstream that serves {@link testService}. */
export async function startGrpcNode(
  handlers: Handlers<typeof testService> = {},
  port?: number,
): Promise<TestNode> {
  const calls: ServerCall[] = []
  const sessions = new Set<ServerHttp2Session>()
  const record = (call: ServerCall) => void calls.push(call)
  const server = createGrpcServer({
    implementations: [
      implement(testService, {
        one: (request, call) => {
          record(call)
          if (request.startsWith('fail ')) {
            throw new GrpcError(Status.NOT_FOUND, request.slice(5), {
              'x-why': ['one', 'two'],
              'grpc-status-details-bin': Uint8Array.of(0, 255, 1),
            })
          }
          call.sendHeaders({ 'x-sui-epoch': '7', 'x-many': ['a', 'b'] })
          call.setTrailers({ 'x-last': 'l', 'raw-bin': Uint8Array.of(1, 2, 255) })
          return `one ${request}`
        },
        join: async (requests, call) => {
          record(call)
          const all: string[] = []
          for await (const request of requests) all.push(request)
          return all.join('+')
        },
        split: async function* (request, call) {
          record(call)
          yield* request.split('+')
        },
        echo: async function* (requests, call) {
          record(call)
          for await (const request of requests) yield `echo ${request}`
        },
        ...handlers,
      }),
    ],
  })
  server.http2.on('session', (session) => sessions.add(session))
  await server.listen({ port: port ?? (await reservePort()) })
  const { url } = server
  return {
    url,
    calls,
    sessions,
    get openCalls() {
      return server.openCalls
    },
    stop: () => server.stop(),
  }
}

/** An HTTP/2 server that applies the given behavior to every stream, until the running test ends. */
export async function http2Node(
  behaviour: (
    stream: ServerHttp2Stream,
    headers: Readonly<Record<string, unknown>>,
    raw: readonly string[],
  ) => void,
): Promise<{
  readonly url: string
  readonly server: Http2Server
  readonly sessions: Set<ServerHttp2Session>
}> {
  const server = createServer()
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => undefined)
    session.once('close', () => sessions.delete(session))
  })
  server.on('stream', (stream, headers, _, raw) => {
    stream.on('error', () => undefined)
    behaviour(stream, headers, raw)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const session of sessions) session.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, sessions }
}
