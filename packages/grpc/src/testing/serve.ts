import { createGrpcServer, type Implementation } from '@fairlead/grpc-transport'

/** Starts a gRPC server on a loopback port. */
export async function serve(...implementations: Implementation[]) {
  const server = createGrpcServer({ implementations })
  await server.listen({ host: '127.0.0.1', port: 0 })
  return { url: server.url, stop: () => server.stop(0) }
}
