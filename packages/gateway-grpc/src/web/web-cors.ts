import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { GrpcDependencies } from '../dependencies.ts'
import { single } from '../call/metadata.ts'

/** Media types of gRPC-web. */
export const grpcWebType = /^application\/grpc-web(-text)?(?:\+proto)?\s*(?:;|$)/i

/** The origin whose pages may read the answer to a call: by the rules of its node, or for all nodes without any. */
export function webOrigin(
  { authenticator, corsOrigin }: GrpcDependencies,
  headers: IncomingHttpHeaders,
): string {
  return authenticator.originOf('x-token', single(headers['x-token']), headers.origin) ?? corsOrigin
}

const namesForm = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

/** The headers by which a browser lets a page read an answer: metadata may have any name. */
export function answerCors(origin: string): OutgoingHttpHeaders {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': '*, grpc-status, grpc-message, grpc-status-details-bin',
    ...(origin !== '*' && { vary: 'origin' }),
  }
}

/** The headers that answer a browser's question whether a page may call. */
export function preflightCors(origin: string, asked: IncomingHttpHeaders): OutgoingHttpHeaders {
  const names = asked['access-control-request-headers'] ?? ''
  return {
    ...answerCors(origin),
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': namesForm.test(names)
      ? names
      : 'content-type, x-token, x-grpc-web, x-user-agent, grpc-timeout',
    'access-control-max-age': '86400',
  }
}

/** Tells the form of a request of gRPC-web; undefined when it is none. */
export function webForm(method: string | undefined, type: string | undefined): 'binary' | 'text' | undefined {
  if (method !== 'POST' || type === undefined) return undefined
  const found = grpcWebType.exec(type)
  if (!found) return undefined
  return found[1] === undefined ? 'binary' : 'text'
}
