import type { Socket, TcpNetConnectOpts } from 'node:net'
import type { Connect } from './types.ts'
import { runDetached } from '@fairlead/runtime'

/** Options of {@link openSocket}. */
interface SocketOptions {
  readonly connect: Connect
  /** CA certificate in PEM, in place of the CAs that the system trusts. */
  readonly authority: Buffer | undefined
  /** TLS session of an earlier connection, which shortens the handshake. */
  readonly session: Buffer | undefined
  /** Buffer for received bytes; overwritten after `onBytes` returns. */
  readonly buffer: Buffer
  onBytes(bytes: Buffer): void
  onReady(): void
  onSession(session: Buffer): void
}

/** Begins to connect to the host of a URL, over TLS for `https:`. */
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
    // Detects an upstream that disappears without closing the connection, also on a stream without traffic.
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
  // The stream itself has no reader. Without `resume`, its `end` event would not fire.
  return socket.resume()
}
