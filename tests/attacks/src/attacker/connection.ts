import { connect, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { AttackTarget } from './target.ts'

/** How a connection of an attack begins. */
export interface ConnectionOptions {
  /** Whether received bytes are read. Default true. */
  readonly reads?: boolean
  /** Protocol in the TLS handshake. Default http/1.1. */
  readonly protocol?: 'h2' | 'http/1.1'
  /** Host name, with or without a port, that is the server name in the TLS handshake. */
  readonly serverName?: string
}

// No attack goes to another machine. The bystander uses another address of this one, as in reality.
const host = '127.0.0.1'
const localAddress = '127.0.0.2'
const maxQueuedBytes = 1 << 20

/** A connection to the gateway that ignores its own errors. */
export class Connection {
  readonly #socket: Socket
  /** Resolves when the connection can be written to; never for one that fails. */
  readonly opened: Promise<void>
  readonly #onWritten: (bytes: number) => void
  #isOpen = false

  /** @param onWritten - called with the number of bytes of each write */
  constructor(target: AttackTarget, options: ConnectionOptions, onWritten: (bytes: number) => void) {
    const { reads = true, protocol = 'http/1.1', serverName = target.authority } = options
    this.#onWritten = onWritten
    const where = { host, localAddress, port: target.port, noDelay: true }
    this.#socket = target.isSecure
      ? connectSecurely({
          ...where,
          servername: serverNameOf(serverName),
          ALPNProtocols: [protocol],
          rejectUnauthorized: false,
        })
      : connect(where)
    this.#socket.on('error', () => undefined)
    if (!reads) this.#socket.pause()
    else if (this.#socket.listenerCount('data') === 0) this.#socket.resume()
    this.opened = new Promise((resolve) => {
      this.#socket.once(target.isSecure ? 'secureConnect' : 'connect', () => {
        this.#isOpen = true
        resolve()
      })
    })
  }

  /** Whether the gateway still reads. Otherwise a write would only fill the memory of the attack. */
  get isWritable(): boolean {
    return this.#isOpen && this.#socket.writable && this.#socket.writableLength < maxQueuedBytes
  }

  /** Bytes that the gateway has not accepted yet. */
  get queuedBytes(): number {
    return this.#socket.writableLength
  }

  write(bytes: Buffer | string): void {
    if (!this.#socket.writable) return
    this.#socket.write(bytes)
    this.#onWritten(bytes.length)
  }

  onData(listener: (bytes: Buffer) => void): void {
    this.#socket.on('data', listener)
  }

  /** Reads nothing from now on. */
  pause(): void {
    this.#socket.pause()
  }

  onClose(listener: () => void): void {
    this.#socket.once('close', listener)
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Closes the connection with a TCP RST. */
  reset(): void {
    this.#socket.resetAndDestroy()
  }
}

/** Returns the name in the TLS handshake. An IP address has none. */
export function serverNameOf(authority: string): string {
  const name = authority.replace(/:\d+$/, '')
  return isIP(name) === 0 ? name : ''
}
