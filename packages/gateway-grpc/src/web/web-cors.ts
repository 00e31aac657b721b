import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { corsFields, preflightFields } from '@fairlead/gateway-core/http/response-fields'
import type { GrpcDependencies } from '../dependencies.ts'
import { firstValue } from '../call/metadata.ts'

/** Media types of gRPC-web. */
export const grpcWebType = /^application\/grpc-web(-text)?(?:\+proto)?\s*(?:;|$)/i

/**
 * The origin whose pages may read the response to a call: by the rules of its node, otherwise the value for all nodes.
 */
export function webOrigin(
  { authenticator, corsOrigin }: GrpcDependencies,
  headers: IncomingHttpHeaders,
): string {
  return authenticator.originOf('x-token', firstValue(headers['x-token']), headers.origin) ?? corsOrigin
}

const namesForm = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

/** The headers that allow a page to read a response. Metadata may have any name. */
export function corsHeaders(origin: string): OutgoingHttpHeaders {
  return corsFields(origin, '*, grpc-status, grpc-message, grpc-status-details-bin')
}

/** The response headers of a CORS preflight. */
export function preflightHeaders(origin: string, requestHeaders: IncomingHttpHeaders): OutgoingHttpHeaders {
  const names = requestHeaders['access-control-request-headers'] ?? ''
  const allowed = namesForm.test(names)
    ? names
    : 'content-type, x-token, x-grpc-web, x-user-agent, grpc-timeout'
  return { ...corsHeaders(origin), ...preflightFields('POST', allowed) }
}

/** Returns the form of a gRPC-web request; undefined when it is not one. */
export function webEncoding(
  method: string | undefined,
  type: string | undefined,
): 'binary' | 'text' | undefined {
  if (method !== 'POST' || type === undefined) return undefined
  const match = grpcWebType.exec(type)
  if (!match) return undefined
  return match[1] === undefined ? 'binary' : 'text'
}
