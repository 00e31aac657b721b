import { Agent, get, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'

/** A client of an event stream. */
export interface EventReader {
  readonly response: IncomingMessage
  /** Everything after the line and the comment that open each stream. */
  received(): Buffer
  /** Everything, as text. */
  text(): string
  /** How the stream ended; undefined while it is open. */
  end(): 'complete' | 'broken' | undefined
  leave(): void
}

// One connection for each client, as they come from many places.
const agent = new Agent({ keepAlive: false, maxSockets: Infinity })

/** Opens a stream and reads it until the running test ends, unless it is not to be read. */
export function readEvents(url: string, isRead = true): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      const chunks: Buffer[] = []
      let end: 'complete' | 'broken' | undefined
      if (isRead) response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => (end = 'complete'))
      response.on('error', () => (end ??= 'broken'))
      const whole = () => Buffer.concat(chunks)
      resolve({
        response,
        received: () => {
          const bytes = whole()
          return bytes.subarray(bytes.indexOf('\n:\n\n') + 4)
        },
        text: () => whole().toString(),
        end: () => end,
        leave: () => request.destroy(),
      })
    })
    request.on('error', reject)
    onTestFinished(() => void request.destroy())
  })
}
