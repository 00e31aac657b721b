import type { Readable } from 'node:stream'

/** An answer on its way back: the body has not been read, though a short one may be at hand. */
export interface UpstreamResponse {
  /** The whole body when it is short and was there at once; undefined when it has to be read. */
  readonly bytes?: Buffer | undefined
  /** The same as a text with a character for each byte, where it came so, which is cheaper to write than bytes are. */
  readonly latin1?: string | undefined
  /** The same parsed, where that was done already. */
  readonly value?: unknown
  readonly body: Readable & { dump(): Promise<void> }
  readonly contentLength: string | undefined
  /** Whether a body that breaks off can be told from one that has ended. */
  readonly delimited: boolean
  /** Texts of the address that has answered; its error may quote them. */
  readonly secrets?: readonly string[] | undefined
}

/** Tells what an upstream responded from a response that is read already. */
export function isUpstreamResponse(response: object): response is UpstreamResponse {
  return 'body' in response
}

/** Whether the whole body of an answer is there. */
export function isBuffered(answer: UpstreamResponse): boolean {
  return answer.latin1 !== undefined || answer.bytes !== undefined
}
