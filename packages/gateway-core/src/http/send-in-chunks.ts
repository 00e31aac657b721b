import type { Writable } from 'node:stream'

const maxChunkBytes = 65_536

/**
 * Sends content in chunks, each one when the client has accepted the previous one, and ends the stream. A client that
 * does not read holds one chunk of shared content, not a copy of all of it.
 */
export function sendInChunks(stream: Writable, content: Uint8Array): void {
  let rest = content
  const sendNext = (): void => {
    while (rest.length > maxChunkBytes) {
      const chunk = rest.subarray(0, maxChunkBytes)
      rest = rest.subarray(maxChunkBytes)
      if (stream.write(chunk)) continue
      stream.once('drain', sendNext)
      return
    }
    stream.end(rest)
  }
  sendNext()
}
