export { createHttp2Transport } from './client/http2-transport.ts'
export type { Http2TransportOptions, SessionsOptions } from './client/options.ts'
export { errorOfReset } from './client/reset-error.ts'
export { createSessions, type Sessions } from './client/sessions.ts'
export type { MessageEncoding } from './compression.ts'
export {
  createPortServer,
  type Http1Connections,
  type PortServer,
  type PortServerOptions,
} from './listen/port-server.ts'
export { checkRequest, type RequestFault } from './server/check-request.ts'
export { createGrpcServer, type GrpcServer, type GrpcServerOptions } from './server/grpc-server.ts'
export type { SessionLimits } from './server/guard-session.ts'
export { createHttp2Server, type Http2ServerOptions } from './server/http2-server.ts'
export {
  type Handler,
  type Handlers,
  implement,
  type Implementation,
  raw,
  type RawMethod,
} from './server/implement.ts'
export { respondStatus } from './server/respond-status.ts'
export type { ServerCall, ServerStream } from './server/server-call.ts'
export * from './wire/index.ts'
