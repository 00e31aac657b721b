export { isRejection, type Permit, type Rejection } from '@fairlead/gateway-core/admission/types'
export type { Grant } from '@fairlead/gateway-core/grants/grant'
export type {
  ErrorResponse,
  HttpDependencies,
  RequestHandler,
  RequestRules,
  StreamHandler,
  UpgradeHandler,
} from '@fairlead/gateway-core/http/dependencies'
export {
  type ContextHandler,
  createRequestHandler,
  type HttpContext,
} from '@fairlead/gateway-core/http/http-context'
export type { RouteMatch, RoutePattern } from '@fairlead/gateway-core/http/route'
export { type HttpRequest, type HttpResponse, sendContent } from '@fairlead/gateway-core/http/types'
export type {
  ProtocolDescription,
  ProtocolRoute,
  UpstreamField,
} from '@fairlead/gateway-core/protocol/description'
export type { MethodProber } from '@fairlead/gateway-core/protocol/method-availability'
export {
  applyCommonSettings,
  type CommonSettings,
  type Protocol,
  type ProtocolDependencies,
  type ProtocolModule,
  type ProtocolRuntime,
  type ProtocolSettings,
  type UpstreamCheck,
} from '@fairlead/gateway-core/protocol/module'
export type { Option, OptionGroup, ValuesOf } from '@fairlead/gateway-core/protocol/option'
export type { ApiFormat } from '@fairlead/gateway-core/rest/error-body'
export type {
  BufferedResponse,
  RestCall,
  RestUpstream,
  StreamedResponse,
} from '@fairlead/gateway-core/rest/rest-call'
export { rejectionHeaders, RestError, toRestError } from '@fairlead/gateway-core/rest/rest-error'
export { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
export { exposedHeaders, sendResponse } from '@fairlead/gateway-core/rest/send-response'
export { fetchCheck, RejectedCheck, UnexpectedCheck } from '@fairlead/gateway-core/upstream/check-upstream'
export { protocolModules } from './protocols.ts'
