const types = { data: 0, headers: 1, reset: 3, settings: 4, goaway: 7 } as const
const endStream = 1
const endHeaders = 4

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** How many bytes a client sends before its first frame. */
export const prefaceBytes = preface.length

/** What a client begins a connection with: its preface and empty settings. */
export const clientStart = Buffer.concat([preface, frame(types.settings, 0, 0, Buffer.alloc(0))])

/** How the settings of the other side are accepted. */
export const settingsTaken = frame(types.settings, 1, 0, Buffer.alloc(0))

/** What a server begins a connection with, and how it accepts the client's settings. */
export const serverStart = Buffer.concat([frame(types.settings, 0, 0, Buffer.alloc(0)), settingsTaken])

type Fields = readonly (readonly [name: string, value: string])[]

/** A frame of headers that ends the stream, written by hand: libraries do not send everything that a peer may send. */
export function lastHeaders(streamId: number, fields: Fields): Buffer {
  return frame(types.headers, endHeaders | endStream, streamId, blockOf(fields))
}

/** A frame of headers with more to come. */
export function firstHeaders(streamId: number, fields: Fields): Buffer {
  return frame(types.headers, endHeaders, streamId, blockOf(fields))
}

/** A frame of a body with more to come. */
export function data(streamId: number, bytes: Buffer): Buffer {
  return frame(types.data, 0, streamId, bytes)
}

/** A frame that ends a stream at once, without saying that anything is wrong. */
export function reset(streamId: number): Buffer {
  return frame(types.reset, 0, streamId, Buffer.alloc(4))
}

/** A frame by which a server says that it has begun with no stream, and takes no others on this connection. */
export const goAway = frame(types.goaway, 0, 0, Buffer.alloc(8))

/** Tells whether headers are among the frames of a connection. */
export function hasHeaders(bytes: Buffer): boolean {
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    if (bytes[at + 3] === types.headers) return true
  }
  return false
}

function blockOf(fields: Fields): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]))
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(value.length), Buffer.from(value)])
}

function frame(type: number, flags: number, streamId: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(streamId, 5)
  return Buffer.concat([head, payload])
}
