/**
 * gRPC-web: clients for browsers, edge runtimes and everything else that has `fetch`.
 *
 * @module
 */
import type { ServiceDefinition } from '@fairlead/grpc-transport/wire'
import { clientOver } from './calls/client.ts'
import { createConnection, type GrpcSettings, type SharedTransport } from './calls/connection.ts'
import type { GrpcClient } from './calls/types.ts'
import { createGrpcWebTransport, type GrpcWebTransportOptions } from './web/transport.ts'

export { FairleadError, isRetryable } from '@fairlead/core'
export { type Metadata, type MetadataValue, Status, type Transport } from '@fairlead/grpc-transport/wire'
export { type GrpcStatusDetails, statusDetails } from './calls/status-details.ts'
export type { GrpcCallOptions, GrpcClient, GrpcClientMethod, GrpcStream, Requests } from './calls/types.ts'
export { waitUntilServing } from './health/wait-until-serving.ts'
export {
  createReflectionClient,
  type ReflectionCallOptions,
  type ReflectionClient,
  type ReflectionClientOptions,
} from './reflection/client.ts'
export { createGrpcWebTransport, type GrpcWebTransportOptions } from './web/transport.ts'

/** How to reach a node over gRPC-web: by an address, or over a transport that is there. */
export type GrpcWebClientOptions = GrpcSettings &
  (
    | SharedTransport
    | (GrpcWebTransportOptions & {
        /** Address of the node or of the gateway: `https://host[:port]`, with a path where there is one. */
        readonly url: string
      })
  )

/**
 * Makes a client of any gRPC service over gRPC-web; it is used like that of `createGrpcClient`.
 *
 * @param service - definition that code generation wrote, for example `GeyserDefinition` of `@fairlead/grpc/geyser`
 * @param options - address, token, format, `fetch`, and the limit of unary calls in milliseconds
 * @returns one function per method, and `close`; 64-bit fields are `bigint`, bytes are `Uint8Array`
 * @throws FairleadError `CONFIG_INVALID` at once; `GRPC_STATUS` from a call, UNIMPLEMENTED where a stream of requests has
 *   more than one
 * @example
 * ```ts
 * const sui = createGrpcWebClient(LedgerServiceDefinition, { url: 'https://node.example.com', auth })
 * const { epoch } = await sui.getServiceInfo({})
 * ```
 * @see specs/grpc/proto; https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
 */
export function createGrpcWebClient<const service extends ServiceDefinition>(
  service: service,
  options: GrpcWebClientOptions,
): GrpcClient<service> {
  const connection = createConnection(options, (url) =>
    createGrpcWebTransport(url.href, options as GrpcWebTransportOptions),
  )
  return clientOver(service, connection)
}
