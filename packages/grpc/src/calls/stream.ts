import type { Call, Metadata } from '@fairlead/grpc-transport/wire'
import type { GrpcStream } from './types.ts'

/** The dependencies of a response stream. */
export interface StreamParts<message> {
  /** Begins the call; {@link close} is called when it has ended. */
  open(): { readonly call: Call; close(): void }
  /** Decodes one message; throws when the bytes are invalid. */
  decode(bytes: Uint8Array): message
  /** Converts an error for the reader. */
  failure(error: unknown): unknown
  readonly onTrailers?: ((trailers: Metadata) => void) | undefined
}

const done = { done: true, value: undefined } as const

/**
 * Creates an async iterator over the messages of a call. It is not an async generator, because that costs several
 * event-loop ticks per message.
 */
export function messageStream<message>(parts: StreamParts<message>): GrpcStream<message> {
  let opened: { readonly call: Call; close(): void } | undefined
  let over = false
  /** The current read, behind which other reads queue. */
  let reading: Promise<unknown> | undefined

  const close = () => {
    over = true
    opened?.close()
  }

  /** Returns an available message without waiting. */
  const taken = (): IteratorResult<message, undefined> | undefined => {
    if (over) return done
    const bytes = (opened ??= parts.open()).call.read()
    return bytes && { done: false, value: parts.decode(bytes) }
  }

  const waitForNext = async (): Promise<IteratorResult<message, undefined>> => {
    for (;;) {
      const result = taken()
      if (result || !opened) return result ?? done
      if (await opened.call.readable()) continue
      if (over) return done
      parts.onTrailers?.(opened.call.trailers ?? {})
      close()
      return done
    }
  }

  const failed = (error: unknown) => {
    // A caller that stopped the stream does not get its error.
    if (over) return done
    close()
    opened?.call.cancel(error)
    throw parts.failure(error)
  }

  const queued = (): Promise<IteratorResult<message, undefined>> => {
    const turn = (reading ?? Promise.resolve()).then(waitForNext).catch(failed)
    const settled = () => {
      if (reading === mine) reading = undefined
    }
    const mine: Promise<void> = turn.then(settled, settled)
    reading = mine
    return turn
  }

  const stop = (reason?: unknown) => {
    if (over) return
    close()
    opened?.call.cancel(reason)
  }

  const stream = {
    [Symbol.asyncIterator]: () => stream,
    next() {
      if (reading) return queued()
      try {
        const result = taken()
        return result ? Promise.resolve(result) : queued()
      } catch (error) {
        return (async () => failed(error))()
      }
    },
    async return() {
      stop()
      return done
    },
    async throw(error?: unknown) {
      stop(error)
      throw error
    },
    // Only if the runtime supports it; otherwise the property name would be `undefined`.
    ...(Symbol.asyncDispose && { [Symbol.asyncDispose]: async () => stop() }),
  } as GrpcStream<message>
  return stream
}
