/**
 * gRPC-web: clients for browsers, edge runtimes and every other runtime with `fetch`.
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

/** Options for a connection to a node over gRPC-web: by a URL, or over an existing transport. */
export type GrpcWebClientOptions = GrpcSettings &
  (
    | SharedTransport
    | (GrpcWebTransportOptions & {
        /** URL of the node or of the gateway: `https://host[:port]`, with a path if there is one. */
        readonly url: string
      })
  )

/**
 * Creates a client of any gRPC service over gRPC-web; its usage is that of `createGrpcClient`.
 *
 * @param service - service definition from the generated code, for example `GeyserDefinition` of
 *   `@fairlead/grpc/geyser`
 * @param options - URL, token, format, `fetch`, and the timeout of unary calls in milliseconds
 * @returns one function per method, and `close`; 64-bit fields are `bigint`, bytes are `Uint8Array`
 * @throws FairleadError `CONFIG_INVALID` immediately; `GRPC_STATUS` from a call, UNIMPLEMENTED when a stream of
 *   requests has more than one
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
