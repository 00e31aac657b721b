export { Cancellation, type CancellationSignal, type CancellationListener } from './cancellation.ts'
export { createHttp1Connections } from './client/connection-pool.ts'
export { runDetached } from './client/detached.ts'
export { headerLines } from './client/header-lines.ts'
export { Http1Error } from './client/http1-error.ts'
export type { ReceivedResponse, StallListener } from './client/types.ts'
export { RehashingMap } from './rehashing-map.ts'
export { createHttp1Server, type Http1ServerState, type Http1Server } from './server/http1-server.ts'
export type { Http1ServerRequest } from './server/request.ts'
export type { Http1ServerResponse, PresetHeaders } from './server/response.ts'
export {
  guarded,
  guardedImmediate,
  guardedInterval,
  type ErrorSource,
  guardedTimeout,
  reportUnexpected,
  type UnexpectedError,
  unexpectedErrors,
} from './unexpected-errors.ts'
