const types = { data: 0, headers: 1, reset: 3, settings: 4, goaway: 7 } as const
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

type Fields = readonly (readonly [name: string, value: string])[]

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

/** A GOAWAY frame: the server has processed no stream, and accepts no others on this connection. */
export const goAway = frame(types.goaway, 0, 0, Buffer.alloc(8))

/** Returns whether the frames of a connection include HEADERS. */
export function hasHeaders(bytes: Buffer): boolean {
  return framesOf(bytes).frames.some(({ type }) => type === types.headers)
}

/** Parses the complete frames at the start of the received bytes. */
export function framesOf(bytes: Buffer): {
  readonly frames: readonly { readonly type: number; readonly streamId: number }[]
  readonly rest: Buffer
} {
  const frames = []
  let at = 0
  while (at + 9 <= bytes.length) {
    const end = at + 9 + bytes.readUIntBE(at, 3)
    if (end > bytes.length) break
    frames.push({ type: bytes[at + 3] ?? 0, streamId: bytes.readUInt32BE(at + 5) & 0x7fffffff })
    at = end
  }
  return { frames, rest: bytes.subarray(at) }
}

/** Whether a frame responds to a stream: HEADERS or RST_STREAM. */
export function isResponse({ type }: { readonly type: number }): boolean {
  return type === types.headers || type === types.reset
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
