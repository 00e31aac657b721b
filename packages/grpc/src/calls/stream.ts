import type { Call, Metadata } from '@fairlead/grpc-transport/wire'
import type { GrpcStream } from './types.ts'

/** The dependencies of a response stream. */
export interface StreamContext<message> {
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
export function messageStream<message>(context: StreamContext<message>): GrpcStream<message> {
  let opened: { readonly call: Call; close(): void } | undefined
  let hasEnded = false
  /** The current read, behind which other reads queue. */
  let reading: Promise<unknown> | undefined

  const close = () => {
    hasEnded = true
    opened?.close()
  }

  /** Returns an available message without waiting. */
  const readAvailable = (): IteratorResult<message, undefined> | undefined => {
    if (hasEnded) return done
    const bytes = (opened ??= context.open()).call.read()
    return bytes && { done: false, value: context.decode(bytes) }
  }

  const waitForNext = async (): Promise<IteratorResult<message, undefined>> => {
    for (;;) {
      const result = readAvailable()
      if (result || !opened) return result ?? done
      if (await opened.call.readable()) continue
      if (hasEnded) return done
      context.onTrailers?.(opened.call.trailers ?? {})
      close()
      return done
    }
  }

  const onFailure = (error: unknown) => {
    // A caller that stopped the stream does not get its error.
    if (hasEnded) return done
    close()
    opened?.call.cancel(error)
    throw context.failure(error)
  }

  const enqueueRead = (): Promise<IteratorResult<message, undefined>> => {
    const result = (reading ?? Promise.resolve()).then(waitForNext).catch(onFailure)
    const settled = () => {
      if (reading === current) reading = undefined
    }
    const current: Promise<void> = result.then(settled, settled)
    reading = current
    return result
  }

  const stop = (reason?: unknown) => {
    if (hasEnded) return
    close()
    opened?.call.cancel(reason)
  }

  const stream = {
    [Symbol.asyncIterator]: () => stream,
    next() {
      if (reading) return enqueueRead()
      try {
        const result = readAvailable()
        return result ? Promise.resolve(result) : enqueueRead()
      } catch (error) {
        return (async () => onFailure(error))()
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
