import type { Socket, TcpNetConnectOpts } from 'node:net'
import type { Connect } from './types.ts'
import { runDetached } from './detached.ts'

/** How to connect. */
interface SocketOptions {
  readonly connect: Connect
  /** Authority in PEM, in place of those that the system trusts. */
  readonly authority: Buffer | undefined
  /** Of an earlier connection, which makes the TLS handshake shorter. */
  readonly session: Buffer | undefined
  /** Gets what comes; it is overwritten when the call is over. */
  readonly buffer: Buffer
  onBytes(bytes: Buffer): void
  onReady(): void
  onSession(session: Buffer): void
}

/** Begins to connect to the host of an address, by TLS if it says so. */
export function openSocket(address: URL, options: SocketOptions): Socket {
  return runDetached(() => opened(address, options))
}

function opened(address: URL, options: SocketOptions): Socket {
  const { connect, authority, session, buffer } = options
  const isSecure = address.protocol === 'https:'
  const target: TcpNetConnectOpts & { readonly host: string } = {
    host: address.hostname,
    port: Number(address.port || (isSecure ? 443 : 80)),
    noDelay: true,
    // An upstream that is gone without a word is found out, also behind a stream that has nothing to say.
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    onread: {
      buffer,
      callback: (length) => {
        options.onBytes(buffer.subarray(0, length))
        return true
      },
    },
  }
  const tls = {
    ALPNProtocols: ['http/1.1'],
    ...(authority && { ca: authority }),
    ...(session && { session }),
  }
  const socket = connect(isSecure ? { ...target, ...tls } : target, isSecure)
  if (isSecure) socket.once('secureConnect', options.onReady).on('session', options.onSession)
  else socket.once('connect', options.onReady)
  // Nothing reads the stream itself, and its end is to be told all the same.
  return socket.resume()
}
