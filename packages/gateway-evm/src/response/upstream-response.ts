import type { Readable } from 'node:stream'

/** A response of an upstream. Its body has not been read, but a short one may be buffered. */
export interface UpstreamResponse {
  /** The full body when it is short and has arrived at once. Undefined when it has to be read. */
  readonly bytes?: Buffer | undefined
  /**
   * The body as a string with one character per byte, if it was received as such. A string is cheaper to write than
   * bytes.
   */
  readonly latin1?: string | undefined
  /** The parsed body, if it was already parsed. */
  readonly value?: unknown
  readonly body: Readable & { dump(): Promise<void> }
  readonly contentLength: string | undefined
  /** Whether a truncated body can be distinguished from a complete one. */
  readonly delimited: boolean
  /** Secrets in the URL of the upstream, which an error may quote. */
  readonly secrets?: readonly string[] | undefined
}

/** Whether a response is the unread response of an upstream, as opposed to one that was already parsed. */
export function isUpstreamResponse(response: object): response is UpstreamResponse {
  return 'body' in response
}

/** Whether the full body is buffered. */
export function isBuffered(response: UpstreamResponse): boolean {
  return response.latin1 !== undefined || response.bytes !== undefined
}
