import { GrpcError, Status } from '@fairlead/grpc-transport/wire'
import { Transform } from 'node:stream'

/**
 * Creates the transform stream for the body of a gRPC-web request. It outputs framed messages, and fails with
 * RESOURCE_EXHAUSTED when the body is too long or INVALID_ARGUMENT when it is not base64.
 *
 * @param maxBytes - maximum size of the body as sent, in bytes
 * @param isText - whether the body is base64, whose chunks may be padded separately
 */
export function webRequests(maxBytes: number, isText: boolean): Transform {
  let length = 0
  const base64 = isText ? createBase64Decoder() : undefined
  const invalidBase64 = () => new GrpcError(Status.INVALID_ARGUMENT, 'The body is not base64.')
  return new Transform({
    transform(bytes: Buffer, _, done) {
      length += bytes.length
      if (length > maxBytes) {
        done(
          new GrpcError(Status.RESOURCE_EXHAUSTED, `The request body must have at most ${maxBytes} bytes.`),
        )
        return
      }
      const decoded = base64 ? base64.decode(bytes.toString('latin1')) : bytes
      if (decoded) done(null, decoded)
      else done(invalidBase64())
    },
    flush: (done) => done(base64?.isComplete === false ? invalidBase64() : null),
  })
}

const form = /^(?:[A-Za-z0-9+/]{2}(?:==|[A-Za-z0-9+/](?:=|[A-Za-z0-9+/])))*$/

/** Decodes base64 that arrives in chunks. */
export interface Base64Decoder {
  /** Returns the bytes that are complete so far; undefined when the text is not base64. */
  decode(text: string): Buffer | undefined
  /** Whether the text so far is complete. */
  readonly isComplete: boolean
}

/** Creates a base64 decoder that accepts padding at the end of every group of four characters. */
export function createBase64Decoder(): Base64Decoder {
  let rest = ''
  return {
    decode(text) {
      const all = rest + text.replaceAll(/\s/g, '')
      const completeLength = all.length - (all.length % 4)
      rest = all.slice(completeLength)
      const groups = all.slice(0, completeLength)
      if (!form.test(groups)) return undefined
      // Buffer stops at padding, so every padded chunk is decoded separately.
      const segments = groups.match(/[^=]+=*/g) ?? []
      return Buffer.concat(segments.map((segment) => Buffer.from(segment, 'base64')))
    },
    get isComplete() {
      return rest === ''
    },
  }
}
