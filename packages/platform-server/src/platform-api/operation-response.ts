import { PlatformError } from './platform-error.ts'

/** Response headers by name; a list for several headers of one name. */
export type ResponseHeaders = Readonly<Record<string, string | string[]>>

/** Parts of a response in addition to its body. */
export interface ResponseOptions {
  /** Version of the object in the body. */
  readonly etag?: number | undefined
  readonly headers?: ResponseHeaders | undefined
  /** Replaces the first success status of the contract. */
  readonly status?: number | undefined
}

/** A response body with an ETag, headers or a status. */
export class OperationResponse<body> {
  readonly body: body
  readonly headers: ResponseHeaders
  readonly status: number | undefined

  constructor(body: body, { etag, headers, status }: ResponseOptions) {
    this.body = body
    this.headers = { ...(etag !== undefined && { etag: `"${etag}"` }), ...headers }
    this.status = status
  }
}

/** Adds an ETag, headers or another status to a response body. */
export function createResponse<body>(body: body, options: ResponseOptions): OperationResponse<body> {
  return new OperationResponse(body, options)
}

/**
 * Parses an If-Match header (RFC 9110, 13.1.1) into versions; undefined when any version matches. Weak and foreign tags
 * match no version.
 */
export function readIfMatch(header: string | undefined): readonly number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return header
    .split(',')
    .map((tag) => /^"(\d{1,9})"$/.exec(tag.trim())?.[1])
    .flatMap((version) => (version === undefined ? [] : [Number(version)]))
}

/**
 * Rejects a change of an object whose version differs from the client's. Read the version in the transaction of the
 * change, `for update`.
 *
 * @throws {@link PlatformError} `precondition_failed`
 */
export function assertMatch(ifMatch: readonly number[] | undefined, version: number): void {
  if (ifMatch !== undefined && !ifMatch.includes(version)) throw new PlatformError('precondition_failed')
}
