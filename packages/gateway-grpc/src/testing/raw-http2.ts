const types = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const
const endStream = 1
const endHeaders = 4

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** Number of bytes that a client sends before its first frame. */
export const prefaceBytes = preface.length

/** The start of a client connection: its preface and an empty SETTINGS frame. */
export const clientStart = Buffer.concat([preface, frame(types.settings, 0, 0, Buffer.alloc(0))])

/** Acknowledges the settings of the peer. */
export const settingsAck = frame(types.settings, 1, 0, Buffer.alloc(0))

/** The start of a server connection: an empty SETTINGS frame, and the acknowledgment of the client's settings. */
export const serverStart = Buffer.concat([frame(types.settings, 0, 0, Buffer.alloc(0)), settingsAck])

/** Header fields in the order in which they are sent. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** A HEADERS frame that ends the stream, written by hand: libraries do not send everything that a peer may send. */
export function lastHeaders(streamId: number, fields: Fields): Buffer {
  return frame(types.headers, endHeaders | endStream, streamId, blockOf(fields))
}

/** A HEADERS frame that does not end the stream. */
export function firstHeaders(streamId: number, fields: Fields): Buffer {
  return frame(types.headers, endHeaders, streamId, blockOf(fields))
}

/** A DATA frame, which ends the stream only when it is the last. */
export function data(streamId: number, bytes: Buffer, isLast = false): Buffer {
  return frame(types.data, isLast ? endStream : 0, streamId, bytes)
}

/** A RST_STREAM frame without an error. */
export function reset(streamId: number): Buffer {
  return frame(types.reset, 0, streamId, Buffer.alloc(4))
}

/** The start of a client connection with settings, by their identifier (RFC 9113, section 6.5.2). */
export function clientStartWith(values: readonly (readonly [identifier: number, value: number])[]): Buffer {
  return Buffer.concat([preface, settings(values)])
}

/** A SETTINGS frame. */
export function settings(values: readonly (readonly [identifier: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(values.length * 6)
  for (const [at, [identifier, value]] of values.entries()) {
    payload.writeUInt16BE(identifier, at * 6)
    payload.writeUInt32BE(value, at * 6 + 2)
  }
  return frame(types.settings, 0, 0, payload)
}

/** A PING frame. */
export function ping(isAck = false): Buffer {
  return frame(types.ping, isAck ? 1 : 0, 0, Buffer.alloc(8))
}

/** A WINDOW_UPDATE frame, of the connection for stream 0. */
export function windowUpdate(streamId: number, increment: number): Buffer {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(increment)
  return frame(types.windowUpdate, 0, streamId, payload)
}

/** A PRIORITY frame, which RFC 9113 deprecates. */
export function priority(streamId: number): Buffer {
  return frame(types.priority, 0, streamId, Buffer.alloc(5))
}

/** A HEADERS frame after which CONTINUATION frames follow. */
export function unfinishedHeaders(streamId: number, fields: Fields): Buffer {
  return frame(types.headers, 0, streamId, blockOf(fields))
}

/** A CONTINUATION frame. */
export function continuation(streamId: number, fields: Fields, isLast = false): Buffer {
  return frame(types.continuation, isLast ? endHeaders : 0, streamId, blockOf(fields))
}

/** A GOAWAY frame: the server has processed no stream, and accepts no others on this connection. */
export const goAway = frame(types.goaway, 0, 0, Buffer.alloc(8))

/** Returns whether the frames of a connection include HEADERS. */
export function hasHeaders(bytes: Buffer): boolean {
  return framesOf(bytes).frames.some(({ type }) => type === types.headers)
}

/** The header of a received frame. */
export interface Frame {
  readonly type: number
  readonly flags: number
  readonly streamId: number
  /** Bytes of the payload. */
  readonly length: number
}

/** Parses the complete frames at the start of the received bytes. */
export function framesOf(bytes: Buffer): { readonly frames: readonly Frame[]; readonly rest: Buffer } {
  const frames: Frame[] = []
  let at = 0
  while (at + 9 <= bytes.length) {
    const end = at + 9 + bytes.readUIntBE(at, 3)
    if (end > bytes.length) break
    const [type = 0, flags = 0] = bytes.subarray(at + 3, at + 5)
    frames.push({ type, flags, streamId: bytes.readUInt32BE(at + 5) & 0x7fffffff, length: end - at - 9 })
    at = end
  }
  return { frames, rest: bytes.subarray(at) }
}

/** Whether a frame responds to a stream: HEADERS or RST_STREAM. */
export function isResponse({ type }: Pick<Frame, 'type'>): boolean {
  return type === types.headers || type === types.reset
}

/** Whether the peer sends nothing more on the stream after a frame. */
export function endsStream({ type, flags }: Frame): boolean {
  return (
    type === types.reset || ((type === types.headers || type === types.data) && (flags & endStream) !== 0)
  )
}

/** The response that the protocol requires to a received frame: an acknowledgment, or credit for data. */
export function requiredResponse({ type, flags, length }: Frame): Buffer | undefined {
  if (type === types.settings && flags === 0) return settingsAck
  if (type === types.ping && flags === 0) return ping(true)
  if (type === types.data && length > 0) return windowUpdate(0, length)
  return undefined
}

function blockOf(fields: Fields): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]))
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([lengthOf(bytes.length), bytes])
}

/** Encodes a length with a 7-bit prefix (RFC 7541, section 5.1). */
function lengthOf(length: number): Buffer {
  if (length < 127) return Buffer.of(length)
  const digits = [127]
  for (let rest = length - 127; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...digits, rest])
    digits.push((rest % 128) + 128)
  }
}

function frame(type: number, flags: number, streamId: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(streamId, 5)
  return Buffer.concat([head, payload])
}
