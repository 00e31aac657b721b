import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
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
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': '*, grpc-status, grpc-message, grpc-status-details-bin',
    ...(origin !== '*' && { vary: 'origin' }),
  }
}

/** The response headers of a CORS preflight. */
export function preflightHeaders(origin: string, requestHeaders: IncomingHttpHeaders): OutgoingHttpHeaders {
  const names = requestHeaders['access-control-request-headers'] ?? ''
  return {
    ...corsHeaders(origin),
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': namesForm.test(names)
      ? names
      : 'content-type, x-token, x-grpc-web, x-user-agent, grpc-timeout',
    'access-control-max-age': '86400',
  }
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
