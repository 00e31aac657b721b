import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { ofNoCall } from './of-no-call.ts'

/** How to connect. */
interface SocketOptions {
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
  return ofNoCall(() => opened(address, options))
}

function opened(address: URL, options: SocketOptions): Socket {
  const { authority, session, buffer } = options
  const isSecure = address.protocol === 'https:'
  const host = address.hostname.replace(/^\[(.*)\]$/, '$1')
  const target: TcpNetConnectOpts = {
    host,
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
  const socket = isSecure
    ? connectTls({
        ...target,
        ALPNProtocols: ['http/1.1'],
        ...(isIP(host) === 0 && { servername: host }),
        ...(authority && { ca: authority }),
        ...(session && { session }),
      })
        .once('secureConnect', options.onReady)
        .on('session', options.onSession)
    : connect(target, options.onReady)
  // Nothing reads the stream itself, and its end is to be told all the same.
  return socket.resume()
}
