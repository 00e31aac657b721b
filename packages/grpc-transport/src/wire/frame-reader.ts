import { createByteQueue } from './byte-queue.ts'
import { GrpcError } from './grpc-error.ts'
import { Status } from './status.ts'

/** Options of {@link createFrameReader}. Sizes are in bytes. */
export interface FrameReaderOptions {
  /** Maximum size of one message in bytes, before and after decompression. */
  readonly maxMessageBytes: number
  /** Decompresses a message and enforces the size limit itself; without it a compressed message is rejected. */
  readonly decompress?: ((message: Uint8Array) => Uint8Array) | undefined
  /** Receives the block of trailers that ends a gRPC-web response; without it such a frame is rejected. */
  readonly onTrailers?: ((block: Uint8Array) => void) | undefined
}

/** Splits a stream of bytes into messages, whatever its chunks. */
export interface FrameReader {
  /** Bytes that were pushed and not read. */
  readonly waitingBytes: number
  /** Adds received bytes; they must not change afterwards. */
  push(bytes: Uint8Array): void
  /**
   * Returns whether {@link read} has a message.
   *
   * @throws GrpcError as {@link read} does
   */
  isReady(): boolean
  /**
   * Returns the next message; undefined while it is incomplete. It is a view of the pushed bytes, unless it was spread
   * over several chunks.
   *
   * @throws GrpcError RESOURCE_EXHAUSTED when the next message is too large, INTERNAL when it is invalid or cannot be
   *   decompressed
   */
  read(): Uint8Array | undefined
  /**
   * Reports the end of the bytes, after {@link read} has returned all messages.
   *
   * @throws GrpcError INTERNAL when the bytes end inside a message
   */
  end(): void
}

/**
 * Creates a reader of framed messages. A message is rejected by its head, before its bytes are buffered.
 *
 * @param options - maximum size of a message in bytes, and how to decompress one
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
  // Of the message whose head was read; -1 before the next head.
  let length = -1
  let flag = 0

  function isReady(): boolean {
    for (;;) {
      if (length < 0 && !readHead()) return false
      if (queue.length < length) return false
      if (flag !== 0x80) return true
      onTrailers?.(queue.read(length))
      length = -1
    }
  }

  function readHead(): boolean {
    if (queue.length < 5) return false
    flag = queue.readByte()
    length = queue.readUint32()
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
      const message = queue.read(length)
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
