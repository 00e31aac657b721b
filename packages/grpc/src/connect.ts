/**
 * Calls over a transport of `@connectrpc/connect` (an optional peer dependency): gRPC, gRPC-web or the Connect
 * protocol, with existing interceptors.
 *
 * @module
 */
import type { Transport } from '@fairlead/grpc-transport/wire'
import type { Transport as ConnectRpcTransport } from '@connectrpc/connect'
import { createAdapterTransport } from './adapter/transport.ts'
import { startConnectCall, statusOfConnect } from './connect/start-call.ts'
import { createMethodDescriber } from './connect/method.ts'

/**
 * Creates a transport from a transport of `@connectrpc/connect`.
 *
 * The bytes of a message are sent as the unknown fields of an empty message, so that no second description of the
 * services is needed. They arrive unchanged, except that a tag in a longer encoding than needed would be shortened.
 *
 * @param transport - for example the result of `createGrpcTransport` of `@connectrpc/connect-node`; the caller closes
 *   it. Disable compression for fast streams
 * @returns the transport, for `createGrpcClient` and other functions that accept one
 * @example
 * ```ts
 * const transport = createConnectTransport(createGrpcTransport({ baseUrl: 'https://node.example.com' }))
 * const geyser = createGrpcClient(GeyserDefinition, { transport, auth: { kind: 'x-token', token } })
 * ```
 * @see https://connectrpc.com/docs/protocol
 */
export function createConnectTransport(transport: ConnectRpcTransport): Transport {
  const methodOf = createMethodDescriber()
  return createAdapterTransport({
    startCall: (start, signal) => startConnectCall(transport, methodOf(start), start, signal),
    statusOf: statusOfConnect,
  })
}
