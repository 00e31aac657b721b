export { CallEnd, type CallSignal, type EndListener } from './cancellation.ts'
export { createHttp1Connections } from './client/connection-pool.ts'
export { ofNoCall } from './client/detached.ts'
export { fieldLines } from './client/header-lines.ts'
export { Http1Failure } from './client/http1-error.ts'
export type { Http1Answer, StallListener } from './client/types.ts'
export { PassingMap } from './rehashing-map.ts'
export { createHttpFront, type FrontStates, type HttpFront } from './server/http1-server.ts'
export type { FrontRequest } from './server/request.ts'
export type { FrontResponse } from './server/response.ts'
export {
  guarded,
  guardedImmediate,
  guardedInterval,
  type GuardedPlace,
  guardedTimeout,
  reportUnexpected,
  type UnexpectedError,
  unexpectedErrors,
} from './unexpected-errors.ts'
