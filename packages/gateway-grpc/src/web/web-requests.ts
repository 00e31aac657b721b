import { GrpcError, Status } from '@fairlead/grpc-transport/wire'
import { Transform } from 'node:stream'

/**
 * Makes what the body of a gRPC-web request is passed through: it gives framed messages, and fails with
 * RESOURCE_EXHAUSTED when the body is too long or INVALID_ARGUMENT when it is no base64.
 *
 * @param maxBytes - longest body as it is sent
 * @param isText - the body is base64, whose pieces may be padded each
 */
export function webRequests(maxBytes: number, isText: boolean): Transform {
  let length = 0
  const base64 = isText ? createBase64Decoder() : undefined
  const noBase64 = () => new GrpcError(Status.INVALID_ARGUMENT, 'The body is not base64.')
  return new Transform({
    transform(bytes: Buffer, _, done) {
      length += bytes.length
      if (length > maxBytes) {
        done(new GrpcError(Status.RESOURCE_EXHAUSTED, `The body may hold at most ${maxBytes} bytes.`))
        return
      }
      const decoded = base64 ? base64.decode(bytes.toString('latin1')) : bytes
      if (decoded) done(null, decoded)
      else done(noBase64())
    },
    flush: (done) => done(base64?.isWhole === false ? noBase64() : null),
  })
}

const form = /^(?:[A-Za-z0-9+/]{2}(?:==|[A-Za-z0-9+/](?:=|[A-Za-z0-9+/])))*$/

/** Decodes base64 that comes in pieces. */
export interface Base64Decoder {
  /** Gives the bytes that are known by now; undefined for what is no base64. */
  decode(text: string): Buffer | undefined
  /** Whether nothing is missing. */
  readonly isWhole: boolean
}

/** Makes a decoder of base64, in which padding may stand wherever four characters end. */
export function createBase64Decoder(): Base64Decoder {
  let rest = ''
  return {
    decode(text) {
      const all = rest + text.replaceAll(/\s/g, '')
      const whole = all.length - (all.length % 4)
      rest = all.slice(whole)
      const groups = all.slice(0, whole)
      if (!form.test(groups)) return undefined
      // Buffer stops at padding, so that every padded piece is decoded by itself.
      const pieces = groups.match(/[^=]+=*/g) ?? []
      return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')))
    },
    get isWhole() {
      return rest === ''
    },
  }
}
