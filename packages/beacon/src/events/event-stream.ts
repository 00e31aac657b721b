import { FairleadError } from '@fairlead/core'
import { createParser } from 'eventsource-parser'

/** One message of an event stream. */
export interface EventStreamMessage {
  readonly event?: string | undefined
  readonly data: string
}

/** What one chunk of the body completes. A chunk that only has a comment yields an empty part. */
export interface EventStreamChunk {
  readonly messages: readonly EventStreamMessage[]
  /** The reconnection delay that the server requests (`retry:`), in milliseconds. */
  readonly retryMs?: number | undefined
}

// In characters. The largest events have several hundred thousand.
const largestMessage = 16 * 1024 * 1024

/**
 * Parses an event stream chunk by chunk.
 *
 * @throws FairleadError `DECODE_INVALID` for a message that exceeds the size limit; errors of the body
 * @see WHATWG HTML, section 9.2.5 (Parsing an event stream)
 */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<EventStreamChunk, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let messages: EventStreamMessage[] = []
  let retryMs: number | undefined
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: largestMessage,
    onEvent: (message) => messages.push(message),
    onRetry: (ms) => (retryMs = ms),
    onError: ({ type }) => (isTooLarge ||= type === 'max-buffer-size-exceeded'),
  })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      if (isTooLarge) {
        const rule = `must be messages of at most ${largestMessage} characters`
        throw new FairleadError('DECODE_INVALID', { operation: 'event stream', path: '$', rule })
      }
      yield { messages, retryMs }
      messages = []
    }
  } finally {
    reader.releaseLock()
  }
}
