import { type ClientHttp2Session, connect } from 'node:http2'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { GrpcError } from '../wire/grpc-error.ts'
import { Status } from '../wire/status.ts'
import type { SessionsSettings } from './options.ts'
import type { Target } from './target.ts'

/** An open connection, with its socket. */
export interface OpenSession {
  readonly session: ClientHttp2Session
  readonly socket: Socket
}

/**
 * Opens an HTTP/2 connection to a server: negotiated by ALPN with TLS, with prior knowledge without TLS.
 *
 * @throws GrpcError UNAVAILABLE with the error code of the system or of TLS; the reason of the signal
 */
export function openSession(
  target: Target,
  settings: SessionsSettings,
  signal: AbortSignal,
): Promise<OpenSession> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(target, settings)
    const session = connect(`${target.isSecure ? 'https' : 'http'}://${target.authority}`, {
      createConnection: () => socket,
      // The window limits the memory of a stream; no other memory of a session grows under the control of the peer.
      maxSessionMemory: 1024,
      settings: { enablePush: false, initialWindowSize: settings.streamWindowBytes },
    })
    const timer = setTimeout(
      () => fail(`no connection within ${settings.connectTimeoutMs} ms`),
      settings.connectTimeoutMs,
    )
    const onSignal = () => fail('', signal.reason)
    signal.addEventListener('abort', onSignal, { once: true })

    function settle(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', onSignal)
    }
    function fail(
      detail: string,
      reason: unknown = new GrpcError(Status.UNAVAILABLE, detail, {}, { isUnprocessed: true }),
    ): void {
      settle()
      reject(reason)
      session.destroy()
      socket.destroy()
    }

    // Remains for the lifetime of the session: an error without a listener would end the process.
    session.on('error', (error) => fail(`could not connect: ${codeOf(error)}`))
    session.once('close', () => fail('could not connect: the server closed the connection'))
    session.once('connect', () => {
      if (target.isSecure && (socket as TLSSocket).alpnProtocol !== 'h2') {
        fail('could not connect: the server does not offer HTTP/2')
        return
      }
      session.setLocalWindowSize(settings.connectionWindowBytes)
    })
    // The server is now known to speak HTTP/2, and its limit of streams is known.
    session.once('remoteSettings', () => {
      settle()
      resolve({ session, socket })
    })
  })
}

function openSocket({ isSecure, host, port }: Target, { connect: open, tls }: SessionsSettings): Socket {
  const options = isSecure
    ? { ...(isIP(host) === 0 && { servername: host }), ...tls, host, port, ALPNProtocols: ['h2'] }
    : { host, port }
  const socket = open?.(options, isSecure) ?? (isSecure ? connectTls(options) : connectTcp(options))
  return socket.setNoDelay(true)
}

/** Only the code of an error, because its message may contain an IP address. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown error'
}
