import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { closeLater } from './text-service.ts'

/** The HTTP/2 client connection preface. */
export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8 } as const

/** One HTTP/2 frame (RFC 9113, section 4.1). */
export function frame(
  type: number,
  flags: number,
  streamId: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(streamId, 5)
  return Buffer.concat([head, payload])
}

/** A header block of literal fields without indexing (RFC 7541, section 6.2.2). */
export function headerBlock(fields: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), literal(name), literal(value)]))
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text)
  let rest = bytes.length - 127
  if (rest < 0) return Buffer.concat([Buffer.of(bytes.length), bytes])
  const length = [127]
  for (; rest >= 128; rest >>>= 7) length.push((rest & 127) | 128)
  return Buffer.concat([Buffer.of(...length, rest), bytes])
}

/** The header fields of a call. */
export function callFields(path: string): (readonly [string, string])[] {
  return [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'localhost'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
  ]
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

interface ReceivedFrame {
  readonly type: number
  readonly flags: number
  readonly streamId: number
  readonly payload: Buffer
}

/** A raw connection whose bytes the test controls, and which records the received frames. */
export interface HostilePeer {
  readonly socket: Socket
  frames(): ReceivedFrame[]
  /** Error code of the GOAWAY with which the server ended the connection. */
  refusal(): number | undefined
  /** Waits until the server has ended the connection. */
  ended: Promise<unknown>
}

/** Opens a raw connection; it sends the preface and empty settings unless another start is given. */
export async function hostilePeer(
  url: string,
  beginning: Buffer = Buffer.concat([preface, frame(frameType.settings, 0, 0)]),
): Promise<HostilePeer> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  closeLater(() => void socket.destroy())
  socket.on('error', () => undefined)
  const ended = new Promise((resolve) => socket.once('close', resolve))
  let received = Buffer.alloc(0)
  socket.on('data', (bytes) => (received = Buffer.concat([received, bytes])))
  await once(socket, 'connect')
  socket.write(beginning)
  const frames = (): ReceivedFrame[] => {
    const all: ReceivedFrame[] = []
    for (let at = 0; at + 9 <= received.length;) {
      const length = received.readUIntBE(at, 3)
      const [type = 0, flags = 0] = received.subarray(at + 3)
      const streamId = received.readUInt32BE(at + 5)
      all.push({ type, flags, streamId, payload: received.subarray(at + 9, at + 9 + length) })
      at += 9 + length
    }
    return all
  }
  return {
    socket,
    frames,
    refusal: () =>
      frames()
        .findLast(({ type }) => type === frameType.goAway)
        ?.payload.readUInt32BE(4),
    ended,
  }
}
