import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2'
import { GrpcError } from '../wire/grpc-error.ts'
import { Status } from '../wire/status.ts'
import { codeOf, type OpenSession } from './open-session.ts'
import { resetName } from './reset-error.ts'

/** A connection has 2^30 stream ids; before they are exhausted, another connection takes over. */
const lastId = 2 ** 31 - 2 ** 20

/** A session with the state that its calls need. */
export interface Connection {
  readonly session: ClientHttp2Session
  /** Number of open streams, including reserved ones. */
  readonly load: number
  /** Accepts no more streams: it is closing or closed. */
  readonly isClosed: boolean
  readonly hasCapacity: boolean
  /** Number of simultaneous streams that the server allows; Infinity when it sets no limit. */
  readonly maxStreams: number
  /** Counts a stream that is opened in this event-loop tick. */
  reserve(): void
  /**
   * Counts a keepalive interval at whose end no stream is open.
   *
   * @returns number of such intervals before it, since the last stream was opened
   */
  countIdleInterval(): number
  /**
   * Why a stream ended with its connection; undefined when the connection did not end it. `error` is the error of the
   * stream.
   */
  lossOf(stream: ClientHttp2Stream, error: unknown): GrpcError | undefined
  /** Closes the connection and fails its calls with this error. */
  destroy(error: GrpcError): void
}

/**
 * Watches a session: counts its streams, records why it ended, and keeps the process alive only while a stream is open.
 *
 * @param onUse - called with the first stream after an idle period
 * @param onEnhanceYourCalm - called when the server limits the PING rate (GOAWAY with ENHANCE_YOUR_CALM)
 */
export function watchSession(
  { session, socket }: OpenSession,
  onUse: () => void,
  onEnhanceYourCalm: () => void,
): Connection {
  let streams = 0
  let reserved = 0
  let idleIntervals = 0
  let maxStreams = session.remoteSettings.maxConcurrentStreams ?? Infinity
  let loss: GrpcError | undefined
  let lastStreamId = Infinity

  session.unref()
  session.on('remoteSettings', (settings) => {
    maxStreams = settings.maxConcurrentStreams ?? Infinity
  })
  session.on('goaway', (code, lastProcessed) => {
    lastStreamId = lastProcessed
    if (code === 0) return
    loss ??= unavailable(`the server closed the connection with ${resetName(code)}`)
    if (resetName(code) === 'ENHANCE_YOUR_CALM') onEnhanceYourCalm()
  })
  session.on('error', (error) => {
    loss ??= lossFrom(error)
  })
  // Runs before the session's own listener, which resets the streams as if they had been cancelled.
  socket.prependListener('close', () => {
    loss ??= unavailable('the connection was closed')
  })

  // Every stream is counted, including one that a user of the session opens: only the session itself sees all of them.
  const request = session.request.bind(session)
  session.request = (...parameters) => {
    const stream = request(...parameters)
    if (streams++ === 0) {
      session.ref()
      onUse()
    }
    if (reserved > 0) reserved--
    if (stream.id !== undefined && stream.id > lastId) session.close()
    stream.once('close', () => {
      if (--streams === 0) session.unref()
    })
    return stream
  }

  return {
    session,
    get load() {
      return streams + reserved
    },
    get isClosed() {
      return loss !== undefined || session.closed || session.destroyed
    },
    get hasCapacity() {
      return streams + reserved < maxStreams
    },
    get maxStreams() {
      return maxStreams
    },
    reserve() {
      idleIntervals = 0
      if (reserved++ === 0) setImmediate(() => (reserved = 0))
    },
    countIdleInterval: () => idleIntervals++,
    lossOf(stream, error) {
      // The session emits its error after its streams do.
      if (session.destroyed) loss ??= lossFrom(error)
      const isUnprocessed = stream.id === undefined || stream.id > lastStreamId
      if (loss === undefined) {
        return isUnprocessed ? unavailable('the server is closing the connection', isUnprocessed) : undefined
      }
      return isUnprocessed ? new GrpcError(loss.code, loss.detail, {}, { isUnprocessed }) : loss
    },
    destroy(error) {
      loss ??= error
      session.destroy(error, constants.NGHTTP2_NO_ERROR)
      // The GOAWAY frame is sent by then; a server that reads no more bytes must not keep the socket open.
      setImmediate(() => socket.destroy())
    },
  }
}

function lossFrom(error: unknown): GrpcError {
  return GrpcError.is(error) ? error : unavailable(`the connection broke: ${codeOf(error)}`)
}

function unavailable(detail: string, isUnprocessed = false): GrpcError {
  return new GrpcError(Status.UNAVAILABLE, detail, {}, { isUnprocessed })
}
