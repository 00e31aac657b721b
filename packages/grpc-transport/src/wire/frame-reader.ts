import { createByteQueue } from './byte-queue.ts'
import { GrpcError } from './grpc-error.ts'
import { Status } from './status.ts'

export interface FrameReaderOptions {
  /** Most bytes of one message, before and after decompression. */
  readonly maxMessageBytes: number
  /** Decompresses a message and keeps to the limit itself; a compressed message is refused when left out. */
  readonly decompress?: ((message: Uint8Array) => Uint8Array) | undefined
  /** Takes the block of trailers that ends an answer of gRPC-web; such a frame is refused when left out. */
  readonly onTrailers?: ((block: Uint8Array) => void) | undefined
}

/** Finds the messages in a stream of bytes, however it was cut. */
export interface FrameReader {
  /** Bytes that were pushed and not read. */
  readonly waitingBytes: number
  /** Adds bytes as they came; they must not change afterwards. */
  push(bytes: Uint8Array): void
  /**
   * Tells whether {@link read} has a message.
   *
   * @throws GrpcError as {@link read} does
   */
  isReady(): boolean
  /**
   * Takes the next message; undefined while it has not come whole. It is a view of the bytes that were pushed, unless it
   * was spread over several pieces.
   *
   * @throws GrpcError RESOURCE_EXHAUSTED when the next message is too large, INTERNAL when it is no message or does not
   *   decompress
   */
  read(): Uint8Array | undefined
  /**
   * Says that no byte follows, once {@link read} has nothing more.
   *
   * @throws GrpcError INTERNAL when the bytes end inside a message
   */
  end(): void
}

/**
 * Makes a reader of framed messages. A message is refused by its head, before its bytes are kept.
 *
 * @param options - largest message in bytes, and how to decompress one
 * @returns the reader
 * @example
 * ```ts
 * const frames = createFrameReader({ maxMessageBytes: 4_194_304 })
 * frames.push(Uint8Array.of(0, 0, 0, 0, 1, 7))
 * frames.read() // Uint8Array.of(7)
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Length-Prefixed-Message
 */
export function createFrameReader(options: FrameReaderOptions): FrameReader {
  const { maxMessageBytes, decompress, onTrailers } = options
  const queue = createByteQueue()
  // Of the message whose head was taken; -1 before the next head.
  let length = -1
  let flag = 0

  function isReady(): boolean {
    for (;;) {
      if (length < 0 && !takeHead()) return false
      if (queue.length < length) return false
      if (flag !== 0x80) return true
      onTrailers?.(queue.take(length))
      length = -1
    }
  }

  function takeHead(): boolean {
    if (queue.length < 5) return false
    flag = queue.takeByte()
    length = queue.takeUint32()
    if (flag === 1 && decompress === undefined) {
      throw new GrpcError(Status.INTERNAL, 'a message is compressed, but its encoding was not named')
    }
    if (flag > 1 && !(flag === 0x80 && onTrailers !== undefined)) {
      throw new GrpcError(Status.INTERNAL, `a message has the unknown flag ${flag}`)
    }
    if (length > maxMessageBytes) {
      throw new GrpcError(
        Status.RESOURCE_EXHAUSTED,
        `a message of ${length} bytes is larger than the limit of ${maxMessageBytes}`,
      )
    }
    return true
  }

  return {
    get waitingBytes() {
      return queue.length
    },
    push: queue.push,
    isReady,
    read() {
      if (!isReady()) return undefined
      const message = queue.take(length)
      length = -1
      return flag === 1 && decompress !== undefined ? decompress(message) : message
    },
    end() {
      if (length >= 0 || queue.length > 0) {
        throw new GrpcError(Status.INTERNAL, 'the stream ended inside a message')
      }
    },
  }
}
