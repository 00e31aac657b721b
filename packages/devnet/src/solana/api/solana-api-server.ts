import { GeyserDefinition } from '@fairlead/grpc/geyser'
import { HealthDefinition } from '@fairlead/grpc/health'
import { createGrpcServer, createPortServer } from '@fairlead/grpc-transport'
import type { SolanaChain } from '../chain/solana-chain.ts'
import { createGeyserService } from './geyser/geyser-service.ts'
import { createBroadcast } from './geyser/stream/broadcast.ts'
import { createHealthService } from './health-service.ts'
import { createReflectionServices } from './reflection/reflection-service.ts'
import { createRpcServer } from './rpc/http-server.ts'

const services = [GeyserDefinition.fullName, HealthDefinition.fullName]

const subscriptionDefaults = {
  pingMs: 10_000,
  // One transaction may write 20 MiB of accounts, and no client can receive them before it has been executed.
  limits: { maxMessages: 250_000, maxBytes: 32 * 1024 * 1024 },
}

/** Options of the server. */
export interface SolanaApiOptions {
  readonly chain: SolanaChain
  /** Port on 127.0.0.1; 0 lets the system choose. */
  readonly port: number
  /** Called with each error that is not reported to a client. */
  readonly onFault: (error: unknown) => void
  /** Milliseconds between two pings of a stream, and the limits of its send queue. */
  readonly subscriptions?: Partial<typeof subscriptionDefaults> | undefined
}

/** A running server of both APIs. */
export interface SolanaApiServer {
  readonly port: number
  /** Ends the streams with UNAVAILABLE, and closes the server. */
  close(): Promise<void>
}

/**
 * Serves a chain on one port of 127.0.0.1: by gRPC without TLS with the Geyser service, health and reflection, and by
 * JSON-RPC over HTTP/1.1.
 *
 * @param options What to serve and where.
 * @returns The server, already listening.
 * @throws The system error when the port is in use.
 */
export async function serveSolanaApi(options: SolanaApiOptions): Promise<SolanaApiServer> {
  const { chain, port, onFault } = options
  const broadcast = createBroadcast(chain)
  const rpc = await createRpcServer({ chain, onFault })
  const grpc = createGrpcServer({
    implementations: [
      createGeyserService(chain, broadcast, { ...subscriptionDefaults, ...options.subscriptions }),
      createHealthService(services),
      ...createReflectionServices(services),
    ],
    onFault,
  })
  const server = createPortServer({ http1: rpc.http1, http2: grpc.http2 })
  const close = async (): Promise<void> => {
    broadcast.close()
    await grpc.stop(0)
    await server.close(0)
    await rpc.close()
  }
  try {
    await server.listen({ host: '127.0.0.1', port })
  } catch (error) {
    broadcast.close()
    throw error
  }
  return { port: server.address.port, close }
}
