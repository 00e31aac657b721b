import type { Attacker } from './attacker.ts'
import type { Connection } from './connection.ts'
import { type Headers, onceResponded, unfinishedHead } from './http1.ts'

/** Operation codes of frames (RFC 6455, section 5.2). */
export const opcodes = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const

/** How a WebSocket of an attack behaves. */
export interface WebSocketOptions {
  /** Path with the credential. */
  readonly path: string
  /** Whether received bytes are read after the handshake. Default true. */
  readonly reads?: boolean
  /** Whether pings are answered. Default true. */
  readonly answers?: boolean
}

/** Headers of a handshake. */
export function upgradeHeaders(authority: string): Headers {
  return {
    host: authority,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  }
}

/** A frame of a client. The masking key is zero, so the payload is sent unchanged. */
export function webSocketFrame(opcode: number, payload: Buffer, isLast = true): Buffer {
  const first = (isLast ? 0x80 : 0) | opcode
  const { length } = payload
  if (length < 126) return Buffer.concat([Buffer.of(first, 0x80 | length, 0, 0, 0, 0), payload])
  const head = Buffer.alloc(length < 65_536 ? 8 : 14)
  head[0] = first
  if (length < 65_536) {
    head[1] = 0x80 | 126
    head.writeUInt16BE(length, 2)
  } else {
    head[1] = 0x80 | 127
    head.writeBigUInt64BE(BigInt(length), 2)
  }
  return Buffer.concat([head, payload])
}

/** A WebSocket written frame by frame, which checks nothing that it sends. */
export class RawWebSocket {
  readonly #connection: Connection
  #isOpen = false

  constructor(attacker: Attacker, { path, reads = true, answers = true }: WebSocketOptions) {
    const connection = attacker.connect()
    this.#connection = connection
    const head = `${unfinishedHead('GET', path, upgradeHeaders(attacker.target.authority))}\r\n`
    void connection.opened.then(() => connection.write(head))
    onceResponded(connection, (status) => {
      if (status !== 101) return connection.close()
      this.#isOpen = true
      if (!reads) connection.pause()
    })
    const pong = webSocketFrame(opcodes.pong, Buffer.alloc(0))
    // The first byte of a received ping without other frames in front of it. Others go unanswered.
    if (answers) connection.onData(([first]) => first === (0x80 | opcodes.ping) && connection.write(pong))
  }

  /** Whether the handshake is complete and the gateway still reads. */
  get isWritable(): boolean {
    return this.#isOpen && this.#connection.isWritable
  }

  onClose(listener: () => void): void {
    this.#connection.onClose(listener)
  }

  write(bytes: Buffer): void {
    this.#connection.write(bytes)
  }

  close(): void {
    this.#connection.close()
  }

  reset(): void {
    this.#connection.reset()
  }
}
