/**
 * Calls over a transport of `@connectrpc/connect` (an optional peer): gRPC, gRPC-web or the Connect protocol, with the
 * interceptors that a program has in use.
 *
 * @module
 */
import type { Transport } from '@fairlead/grpc-transport/wire'
import type { Transport as ConnectRpcTransport } from '@connectrpc/connect'
import { transportOver } from './carrier/transport.ts'
import { carryByConnect, statusOfConnect } from './connect/carry.ts'
import { createMethodDescriber } from './connect/method.ts'

/**
 * Makes a transport out of one of `@connectrpc/connect`.
 *
 * The bytes of a message travel as the unknown fields of an empty one, so that no second description of the services is
 * needed. They arrive as they were sent, except that a tag in a longer form than needed would be shortened.
 *
 * @param transport - for example what `createGrpcTransport` of `@connectrpc/connect-node` gives; it stays the caller's to
 *   close. Let it compress nothing where streams are fast
 * @returns the transport, for `createGrpcClient` and everything else that takes one
 * @example
 * ```ts
 * const transport = createConnectTransport(createGrpcTransport({ baseUrl: 'https://node.example.com' }))
 * const geyser = createGrpcClient(GeyserDefinition, { transport, auth: { kind: 'x-token', token } })
 * ```
 * @see https://connectrpc.com/docs/protocol
 */
export function createConnectTransport(transport: ConnectRpcTransport): Transport {
  const methodOf = createMethodDescriber()
  return transportOver({
    carry: (start, signal) => carryByConnect(transport, methodOf(start), start, signal),
    statusOf: statusOfConnect,
  })
}
