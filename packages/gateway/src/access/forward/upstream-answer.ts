import type { Readable } from 'node:stream'

/** An answer on its way back: the body has not been read. */
export interface UpstreamAnswer {
  readonly body: Readable & { dump(): Promise<void> }
  readonly contentLength: string | undefined
  /** Whether a body that breaks off can be told from one that has ended. */
  readonly delimited: boolean
}
