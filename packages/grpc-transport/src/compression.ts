import * as zlib from 'node:zlib'
import { frameMessage } from './wire/frame.ts'
import { GrpcError } from './wire/grpc-error.ts'
import { Status, type StatusCode } from './wire/status.ts'

/** A message encoding; zstd requires Node.js 22.15. */
export type MessageEncoding = 'gzip' | 'zstd'

type Convert = (bytes: Uint8Array, options: { maxOutputLength?: number }) => Uint8Array

const gzip = { compress: zlib.gzipSync as Convert, decompress: zlib.gunzipSync as Convert }

const encodings: ReadonlyMap<string, { readonly compress: Convert; readonly decompress: Convert }> = new Map(
  'zstdCompressSync' in zlib
    ? [
        ['gzip', gzip],
        ['zstd', { compress: zlib.zstdCompressSync, decompress: zlib.zstdDecompressSync }],
      ]
    : [['gzip', gzip]],
)

/** Value of `grpc-accept-encoding`: every encoding that this Node.js version supports. */
export const acceptedEncodings = ['identity', ...encodings.keys()].join(',')

/** Returns whether this Node.js version supports an encoding. */
export function hasEncoding(encoding: string): boolean {
  return encodings.has(encoding)
}

/**
 * Creates the function that decompresses the messages of a call.
 *
 * @param encoding - value of `grpc-encoding`; undefined when it was not sent
 * @param maxMessageBytes - maximum size of a message after decompression
 * @param refusal - status for an unknown encoding; default: that of a server
 * @returns the function, or undefined without compression
 * @throws GrpcError with the code of `refusal`
 */
export function decompressorOf(
  encoding: string | undefined,
  maxMessageBytes: number,
  refusal: StatusCode = Status.UNIMPLEMENTED,
): ((message: Uint8Array) => Uint8Array) | undefined {
  if (encoding === undefined || encoding === 'identity') return undefined
  const convert = encodings.get(encoding)?.decompress
  if (convert === undefined) {
    throw new GrpcError(refusal, `messages may be compressed with ${acceptedEncodings}`)
  }
  return (message) => {
    try {
      return convert(message, { maxOutputLength: maxMessageBytes })
    } catch (error) {
      if (error instanceof RangeError) {
        throw new GrpcError(
          Status.RESOURCE_EXHAUSTED,
          `a message is larger than the limit of ${maxMessageBytes} bytes once it is decompressed`,
        )
      }
      throw new GrpcError(Status.INTERNAL, `a message is not compressed with ${encoding}`)
    }
  }
}

/**
 * Creates the function that compresses messages; undefined when no encoding is given, or this Node.js version does not
 * support it.
 */
export function compressorOf(
  encoding: MessageEncoding | undefined,
): ((message: Uint8Array) => Uint8Array) | undefined {
  const compress = encoding && encodings.get(encoding)?.compress
  return compress && ((message) => compress(message, {}))
}

/** Creates the function that frames messages, compressed if an encoding is given. */
export function framerOf(encoding: MessageEncoding | undefined): (message: Uint8Array) => Uint8Array {
  const compress = compressorOf(encoding)
  return compress === undefined ? frameMessage : (message) => frameMessage(compress(message), true)
}
