import { GrpcError } from './grpc-error.ts'
import { type HeaderFields, headersToMetadata } from './metadata-headers.ts'
import { decodeStatusMessage } from './status-message.ts'
import { parseStatus, Status } from './status.ts'

/**
 * Returns the error of a call from its trailers, or from the headers of a trailers-only response.
 *
 * @param trailers - headers by lower-case name
 * @returns undefined for OK, else the error; UNKNOWN when `grpc-status` is missing or not a number
 * @example
 * ```ts
 * errorOfTrailers({ 'grpc-status': '5', 'grpc-message': 'no such slot' })?.message // 'NOT_FOUND: no such slot'
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Responses
 */
export function errorOfTrailers(trailers: HeaderFields): GrpcError | undefined {
  const text = single(trailers['grpc-status'])
  if (text === undefined) return new GrpcError(Status.UNKNOWN, 'the server sent no single grpc-status')
  const code = parseStatus(text)
  if (code === Status.OK) return undefined
  const metadata = headersToMetadata(trailers)
  if (code === undefined)
    return new GrpcError(Status.UNKNOWN, 'the server sent no valid grpc-status', metadata)
  const message = trailers['grpc-message']
  const detail = typeof message === 'string' ? message : (message?.[0] ?? '')
  return new GrpcError(code, decodeStatusMessage(detail), metadata)
}

/** The value of a header that may have been sent several times, as long as all values are equal. */
function single(value: string | readonly string[] | undefined): string | undefined {
  const texts = typeof value === 'string' ? value.split(',') : (value ?? [])
  const values = new Set(texts.map((text) => text.trim()))
  return values.size === 1 ? [...values][0] : undefined
}

/**
 * Encodes trailers as the last frame of a gRPC-web response, including its head.
 *
 * @param trailers - headers by lower-case name
 * @returns the frame: flag 0x80, length, and `name: value` lines
 * @example
 * ```ts
 * frameTrailers({ 'grpc-status': '0' })
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
 */
export function frameTrailers(trailers: HeaderFields): Uint8Array {
  let block = ''
  for (const [name, value = []] of Object.entries(trailers)) {
    for (const text of typeof value === 'string' ? [value] : value) block += `${name}: ${text}\r\n`
  }
  const framed = new TextEncoder().encode(`\u0000\u0000\u0000\u0000\u0000${block}`)
  const view = new DataView(framed.buffer)
  view.setUint8(0, 0x80)
  view.setUint32(1, framed.length - 5)
  return framed
}

/**
 * Parses the trailers of a gRPC-web response from the bytes of their frame.
 *
 * @param block - `name: value` lines, as passed to `onTrailers` of the frame reader
 * @returns headers by lower-case name
 * @example
 * ```ts
 * parseTrailers(new TextEncoder().encode('grpc-status: 0\r\n')) // { 'grpc-status': ['0'] }
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
 */
export function parseTrailers(block: Uint8Array): HeaderFields {
  const trailers: Record<string, string[]> = {}
  for (const line of new TextDecoder().decode(block).split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon < 1) continue
    const name = line.slice(0, colon).trim().toLowerCase()
    const values = Object.hasOwn(trailers, name) ? trailers[name] : undefined
    if (values === undefined) trailers[name] = [line.slice(colon + 1).trim()]
    else values.push(line.slice(colon + 1).trim())
  }
  return trailers
}
