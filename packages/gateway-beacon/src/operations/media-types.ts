import type { IncomingHttpHeaders } from 'node:http'
import type { Route } from '@fairlead/core'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import { acceptable, mediaType } from '@fairlead/gateway-core/rest/media-type'

const json = 'application/json'

/** Media types of an operation's success response, JSON first; empty when it has no body. */
export function responseTypes({ responses }: Route): readonly string[] {
  const { schema, mediaTypes } = responses['200'] ?? {}
  return mediaTypes ?? (schema ? [json] : [])
}

/**
 * Selects the acceptable media types of an operation's response.
 *
 * @param accept - `Accept` header of the request
 * @returns the media types that the client accepts, best first; empty when the response has no body
 * @throws {@link RestError} 406 when the client accepts none of them
 */
export function negotiate(route: Route, accept: string | undefined): readonly string[] {
  const offered = responseTypes(route)
  const accepted = acceptable(accept, offered)
  if (offered.length > 0 && accepted.length === 0) {
    throw new RestError(406, `This operation returns ${offered.join(' or ')}.`)
  }
  return accepted
}

/**
 * Checks the media type of a request body. A request without a `Content-Type` header counts as JSON.
 *
 * @throws {@link RestError} 415 for a media type that the operation does not accept
 */
export function checkContentType(
  { requestBody }: Route,
  { 'content-type': type = json }: IncomingHttpHeaders,
): void {
  const supported = requestBody?.mediaTypes ?? [json]
  if (!supported.includes(mediaType(type))) {
    throw new RestError(415, `This operation accepts ${supported.join(' or ')}.`, {
      accept: supported.join(', '),
    })
  }
}
