/** Header field of every response, with the id of its request. */
export const requestIdField = 'x-request-id'

/** Fields of the responses of all protocols that pages may read. */
export const exposedFields: readonly string[] = [requestIdField, 'retry-after']

/**
 * Returns the header fields of every response of a protocol.
 *
 * @param origin - origin whose pages may read the response; `*` for all
 * @param exposed - fields that these pages may read, as a list in HTTP
 */
export function responseFields(requestId: string, origin: string, exposed: string): Record<string, string> {
  return { [requestIdField]: requestId, ...corsFields(origin, exposed) }
}

/** Names of the fields of {@link responseFieldLines}. */
export const responseFieldNames: readonly string[] = Object.keys(responseFields('', '*', ''))

/** As {@link responseFields} for pages of all origins, as lines. Every call over HTTP has them. */
export function responseFieldLines(requestId: string, exposed: string): string {
  return `${requestIdField}: ${requestId}\r\naccess-control-allow-origin: *\r\naccess-control-expose-headers: ${exposed}\r\n`
}

/** Returns the fields that allow pages of an origin to read a response, and some of its fields. */
export function corsFields(origin: string, exposed: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
    ...varyFields(origin),
  }
}

/** Returns the fields that allow pages of an origin to read a response. */
export function originFields(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, ...varyFields(origin) }
}

function varyFields(origin: string): Record<string, string> {
  return origin === '*' ? {} : { vary: 'origin' }
}

/**
 * Returns the fields of the response to a CORS preflight, in addition to those of every response.
 *
 * @param methods - methods that pages may use, as a list in HTTP
 * @param headers - fields that pages may send, as a list in HTTP
 */
export function preflightFields(methods: string, headers: string): Record<string, string> {
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': headers,
    'access-control-max-age': '86400',
  }
}

/** Returns the field with the time after which a client may retry; none for an unknown time. */
export function retryAfterFields(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}
