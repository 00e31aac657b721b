import { Agent, get, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'

/** A client of an event stream. */
export interface EventReader {
  readonly response: IncomingMessage
  /** All bytes after the line and the comment that begin each stream. */
  received(): Buffer
  /** All bytes, as text. */
  text(): string
  /** How the stream ended; undefined while it is open. */
  end(): 'complete' | 'broken' | undefined
  disconnect(): void
}

// One connection per client, because clients connect from many hosts.
const agent = new Agent({ keepAlive: false, maxSockets: Infinity })

/** Opens a stream and reads it until the running test ends, unless `isRead` is false. */
export function readEvents(url: string, isRead = true): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      const chunks: Buffer[] = []
      let end: 'complete' | 'broken' | undefined
      if (isRead) response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => (end = 'complete'))
      response.on('error', () => (end ??= 'broken'))
      const allBytes = () => Buffer.concat(chunks)
      resolve({
        response,
        received: () => {
          const bytes = allBytes()
          return bytes.subarray(bytes.indexOf('\n:\n\n') + 4)
        },
        text: () => allBytes().toString(),
        end: () => end,
        disconnect: () => request.destroy(),
      })
    })
    request.on('error', reject)
    onTestFinished(() => void request.destroy())
  })
}
