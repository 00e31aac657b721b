import { FairleadError } from '@fairlead/core'
import {
  createHttp2Transport,
  type Http2TransportOptions,
  type ServiceDefinition,
} from '@fairlead/grpc-transport'
import { clientOver } from './calls/client.ts'
import { createConnection, type GrpcSettings, type SharedTransport } from './calls/connection.ts'
import type { GrpcClient } from './calls/types.ts'

/** Options for a connection to a node: by a URL, or over an existing transport. */
export type GrpcClientOptions = GrpcSettings &
  (
    | SharedTransport
    | {
        /** URL of the node: `https://host[:port]`, port 443 by default, or `http://host:port` without TLS. */
        readonly url: string
        /** Options of the connection: TLS, windows, keepalive, maximum message size, compression. */
        readonly connection?: Http2TransportOptions | undefined
      }
  )

/**
 * Creates a client of any gRPC service, authenticated by x-token.
 *
 * It connects at the first call; a connection that breaks is opened again for the next one.
 *
 * @param service - service definition from the generated code, for example `GeyserDefinition` of
 *   `@fairlead/grpc/geyser`
 * @param options - URL or transport, token, and the timeout of unary calls in milliseconds
 * @returns one function per method, and `close`; 64-bit fields are `bigint`, bytes are `Uint8Array`
 * @throws FairleadError `CONFIG_INVALID` immediately; from a call `GRPC_STATUS`, with the gRPC status code, and
 *   `DECODE_INVALID`; the caller's own reason after an abort
 * @example
 * ```ts
 * const geyser = createGrpcClient(GeyserDefinition, { url: 'https://node.example.com', auth: { kind: 'x-token', token } })
 * const { slot } = await geyser.getSlot({ commitment: CommitmentLevel.CONFIRMED })
 * ```
 * @see specs/grpc/proto; https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export function createGrpcClient<const service extends ServiceDefinition>(
  service: service,
  options: GrpcClientOptions,
): GrpcClient<service> {
  const settings = 'connection' in options ? options.connection : undefined
  return clientOver(
    service,
    createConnection(options, (url) => openTransport(url, settings)),
  )
}

function openTransport({ origin, pathname }: URL, settings: Http2TransportOptions = {}) {
  // Without this check, a node with the token in its URL would reject the calls without a clear reason.
  if (pathname !== '/') {
    throw new FairleadError('CONFIG_INVALID', {
      option: 'url',
      rule: 'must not have a path: gRPC has its own',
    })
  }
  try {
    return createHttp2Transport(origin, settings)
  } catch (error) {
    throw new FairleadError('CONFIG_INVALID', { option: 'connection', rule: (error as Error).message })
  }
}
