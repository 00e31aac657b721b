/**
 * Calls over `@grpc/grpc-js` (an optional peer dependency), for programs that use its channels, credentials or
 * interceptors.
 *
 * @module
 */
import type { Transport } from '@fairlead/grpc-transport/wire'
import { type ChannelCredentials, Client, type ClientOptions, credentials } from '@grpc/grpc-js'
import { parseServerUrl } from './adapter/server-url.ts'
import { createAdapterTransport } from './adapter/transport.ts'
import { startChannelCall, statusOfChannel } from './grpc-js/start-call.ts'

/** Channel options of `@grpc/grpc-js`, and the credentials of the channel. */
export interface GrpcJsTransportOptions extends ClientOptions {
  /** Default: TLS for https, none for http. */
  readonly credentials?: ChannelCredentials | undefined
}

/**
 * Creates a transport over a channel of `@grpc/grpc-js`.
 *
 * @param url - `https://host[:port]`, port 443 by default, or `http://host:port` without TLS
 * @param options - options of the channel, for example `grpc.max_receive_message_length` in bytes; `credentials`
 * @returns the transport, for `createGrpcClient` and other functions that accept one
 * @throws TypeError for another form of URL
 * @example
 * ```ts
 * const transport = createGrpcJsTransport('https://node.example.com', { 'grpc.keepalive_time_ms': 15_000 })
 * const geyser = createGrpcClient(GeyserDefinition, { transport, auth: { kind: 'x-token', token } })
 * ```
 * @see https://github.com/grpc/grpc-node/tree/master/packages/grpc-js#supported-channel-options
 */
export function createGrpcJsTransport(url: string, options: GrpcJsTransportOptions = {}): Transport {
  const { protocol, hostname, port, pathname } = parseServerUrl(url)
  if (pathname !== '/') throw new TypeError('url must not have a path: gRPC has its own')
  const isPlain = protocol === 'http:'
  const { credentials: channelCredentials, ...channel } = options
  const security = channelCredentials ?? (isPlain ? credentials.createInsecure() : credentials.createSsl())
  const client = new Client(`${hostname}:${port || (isPlain ? '80' : '443')}`, security, channel)
  return createAdapterTransport({
    startCall: (start, signal) => startChannelCall(client, start, signal),
    statusOf: statusOfChannel,
    close: () => client.close(),
  })
}
