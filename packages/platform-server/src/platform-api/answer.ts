import { PlatformError } from './platform-error.ts'

/** Headers of an answer by name; several of one name as a list. */
export type AnswerHeaders = Readonly<Record<string, string | string[]>>

/** What an answer says beside its body. */
export interface AnswerOptions {
  /** Version of the object in the body. */
  readonly etag?: number | undefined
  readonly headers?: AnswerHeaders | undefined
  /** Instead of the first status of success that the contract has. */
  readonly status?: number | undefined
}

/** A body with more than a body. */
export class Answer<body> {
  readonly body: body
  readonly headers: AnswerHeaders
  readonly status: number | undefined

  constructor(body: body, { etag, headers, status }: AnswerOptions) {
    this.body = body
    this.headers = { ...(etag !== undefined && { etag: `"${etag}"` }), ...headers }
    this.status = status
  }
}

/** Gives an answer more than a body: an ETag, headers, another status. */
export function answer<body>(body: body, options: AnswerOptions): Answer<body> {
  return new Answer(body, options)
}

/**
 * Reads an If-Match header (RFC 9110, 13.1.1): the versions in it; undefined when any version will do. A weak or foreign
 * tag is that of no version.
 */
export function readIfMatch(header: string | undefined): readonly number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return header
    .split(',')
    .map((tag) => /^"(\d{1,9})"$/.exec(tag.trim())?.[1])
    .flatMap((version) => (version === undefined ? [] : [Number(version)]))
}

/**
 * Refuses a change of an object that is no longer as the client knows it. Read the version in the transaction of the
 * change, `for update`.
 *
 * @throws {@link PlatformError} `precondition_failed`
 */
export function assertMatch(ifMatch: readonly number[] | undefined, version: number): void {
  if (ifMatch !== undefined && !ifMatch.includes(version)) throw new PlatformError('precondition_failed')
}
