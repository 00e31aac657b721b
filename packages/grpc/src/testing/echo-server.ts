import { create, createFileRegistry, type DescService, fromBinary } from '@bufbuild/protobuf'
import { base64Decode } from '@bufbuild/protobuf/wire'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { descriptors } from '../descriptors.ts'
import { startWebBridge } from './web-bridge.ts'

/**
 * A server from another implementation that speaks gRPC, gRPC-web and the Connect protocol; the request controls the
 * response.
 */
export interface EchoServer {
  /** HTTP/2 without TLS. */
  readonly http2: string
  /** gRPC-web over HTTP/1.1, by the server itself; bidirectional streams are rejected there. */
  readonly http1: string
  /** gRPC-web over HTTP/1.1 through a proxy, in both formats. */
  readonly web: string
  /** Emits `cancelled`, with the method, when the client has cancelled a call. */
  readonly events: EventEmitter
  /** Number of messages of `Subscribe` that were sent. */
  readonly sent: { count: number }
  close(): void
}

/** Starts the server on loopback ports. */
export async function startEchoServer(): Promise<EchoServer> {
  const events = new EventEmitter()
  const sent = { count: 0 }
  const handler = connectNodeAdapter({
    routes: (router) => routes(router, events, sent),
    // Compression is on by default, and not part of any test.
    acceptCompression: [],
    grpcWeb: true,
    readMaxBytes: 64 * 1_048_576,
    writeMaxBytes: 64 * 1_048_576,
  })
  const grpcServer = createServer(handler)
  const two = createHttp2Server(handler)
  const sessions = new Set<ServerHttp2Session>()
  two.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => undefined)
  })
  for (const server of [grpcServer, two]) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const url = (server: typeof grpcServer | typeof two) =>
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const bridge = await startWebBridge(url(two))
  return {
    web: bridge.url,
    http1: url(grpcServer),
    http2: url(two),
    events,
    sent,
    close() {
      bridge.close()
      for (const session of sessions) session.destroy()
      two.close()
      grpcServer.close()
      grpcServer.closeAllConnections()
    },
  }
}

const files = create(FileDescriptorSetSchema, {
  file: Object.values(descriptors).map((text) => fromBinary(FileDescriptorProtoSchema, base64Decode(text))),
})
const registry = createFileRegistry(files)

function service(name: string): DescService {
  const found = registry.getService(name)
  if (!found) throw new Error(`no such service: ${name}`)
  return found
}

interface EchoRequest {
  readonly service: string
}

function routes(router: ConnectRouter, events: EventEmitter, sent: { count: number }): void {
  const hang = ({ signal, method }: HandlerContext): Promise<never> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        events.emit('cancelled', method.name)
        reject(new ConnectError('given up', Code.Canceled))
      })
      events.emit('waiting', method.name)
    })

  router.service(service('grpc.health.v1.Health'), {
    async check(request: EchoRequest, context: HandlerContext) {
      const { requestHeader, responseHeader, responseTrailer } = context
      responseHeader.set('seen-token', requestHeader.get('x-token') ?? 'none')
      responseHeader.set('seen-trace-bin', requestHeader.get('trace-bin') ?? '')
      responseTrailer.set('cost', '7')
      if (request.service === 'hang') return hang(context)
      if (request.service === 'refuse') throw refusal(requestHeader.get('x-token') ?? '')
      return { status: 1 }
    },
    async *watch(request: EchoRequest, context: HandlerContext) {
      const [kind, count = '0'] = request.service.split(' ')
      if (kind === 'none') return
      for (let index = 0; index < Number(count); index++) yield { status: index % 4 }
      if (kind === 'fail') throw refusal(context.requestHeader.get('x-token') ?? '')
      if (kind === 'hang') await hang(context)
      context.responseTrailer.set('cost', count)
    },
  } as never)

  router.service(service('geyser.Geyser'), {
    getVersion: () => ({ version: 'ü'.repeat(400_000) }),
    getSlot: () => ({ slot: 2n ** 64n - 1n }),
    /** Responds to each request with an account whose size is the id of its ping, or -id times with a large one. */
    async *subscribe(requests: AsyncIterable<{ readonly ping?: { readonly id: number } }>) {
      for await (const { ping } of requests) {
        const id = ping?.id ?? 0
        const data = Uint8Array.from({ length: id < 0 ? 1_048_576 : id }, (_, index) => index % 251)
        const account = { account: { data, pubkey: data.subarray(0, 32), lamports: 5n }, slot: 9n }
        for (let count = 0; count < Math.max(1, -id); count++) {
          sent.count += 1
          yield { filters: ['a', ''], updateOneof: { case: 'account', value: account } }
        }
      }
    },
  } as never)
}

function refusal(token: string): ConnectError {
  const details = [{ type: 'google.rpc.RetryInfo', value: Uint8Array.of(10, 2, 8, 5) }]
  const error = new ConnectError(`not now ${token} 50 % ü`, Code.FailedPrecondition, {
    reason: `of ${token}`,
    'trace-bin': 'AQID',
  })
  error.details.push(...details)
  return error
}
