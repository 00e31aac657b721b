import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A WebSocket client that can send anything, also what no library sends. */
export interface RawWebSocket {
  readonly socket: Socket
  /** Texts of the received messages. */
  readonly messages: readonly string[]
  /** Code of the received close frame. */
  readonly closeCode: () => number | undefined
}

const mask = Buffer.of(0, 0, 0, 0)

/**
 * Creates the frame of a client.
 *
 * @param payload - what is sent of the payload
 * @param options - the first byte (a complete text message by default), and the stated length
 */
export function clientFrame(
  payload: string | Uint8Array,
  { first = 0x81, length = payload.length }: { readonly first?: number; readonly length?: number } = {},
): Buffer {
  const extended = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const head = Buffer.alloc(2 + extended)
  head[0] = first
  head[1] = 0x80 | (extended === 0 ? length : extended === 2 ? 126 : 127)
  if (extended === 2) head.writeUInt16BE(length, 2)
  if (extended === 8) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, mask, Buffer.from(payload)])
}

/** Opens a WebSocket on a port, until the running test ends. */
export async function openRawWebSocket(port: number, path: string): Promise<RawWebSocket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  const key = Buffer.alloc(16).toString('base64')
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
      `sec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
  )
  const [response] = (await once(socket, 'data')) as [Buffer]
  if (!response.toString().startsWith('HTTP/1.1 101')) throw new Error(response.toString())
  const messages: string[] = []
  let closeCode: number | undefined
  let rest = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    for (let frame = readFrame(rest); frame; frame = readFrame(rest)) {
      rest = rest.subarray(frame.end)
      if (frame.opcode === 0x1) messages.push(frame.payload.toString())
      if (frame.opcode === 0x8) closeCode = frame.payload.readUInt16BE(0)
    }
  })
  return { socket, messages, closeCode: () => closeCode }
}

/** The first frame of a server in the bytes; undefined when it is incomplete. */
function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; end: number } | undefined {
  if (bytes.length < 2) return undefined
  const short = bytes.readUInt8(1) & 0x7f
  const start = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0)
  if (bytes.length < start) return undefined
  const length =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  const end = start + length
  if (bytes.length < end) return undefined
  return { opcode: bytes.readUInt8(0) & 0xf, payload: bytes.subarray(start, end), end }
}
