import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { guarded } from '@fairlead/runtime'
import { memoryOf } from '../clients/client-memory.ts'
import type { Routing } from '../protocol/routing.ts'
import { hasConflictingHost } from './request-host.ts'
import type { ProgressDeadlines } from './progress-deadlines.ts'

/** Listens to the streams of an HTTP/2 server. */
export type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  raw: readonly string[],
) => void

const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/**
 * Creates the listener for HTTP/2 streams.
 *
 * @param deadlines - end streams whose clients do not read; none are ended when omitted
 * @param otherwise - serves requests that no protocol serves as a stream, and rejects those that name several hosts
 */
export function createHttp2Listener(
  { matchStream }: Pick<Routing, 'matchStream'>,
  deadlines: ProgressDeadlines | undefined,
  otherwise: StreamListener,
): StreamListener {
  const listener: StreamListener = (stream, headers, flags, raw) => {
    stream.on('error', () => undefined)
    // The client may have reset the stream by now.
    if (stream.destroyed || stream.closed) return
    if (deadlines) watchResponse(deadlines, stream)
    if (!hasOriginForm(headers)) return rejectTarget(stream, headers)
    // Requests that name several hosts are rejected there.
    const match = hasConflictingHost({ rawHeaders: raw }) ? undefined : matchStream(headers)
    if (match) match.handler(stream, headers, raw, match)
    else otherwise(stream, headers, flags, raw)
  }
  return guarded('http2', listener, (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
}

/** Discards data that a client still sends on a stream whose response is complete. */
export function dropRequest(stream: ServerHttp2Stream): void {
  if (stream.destroyed) return
  stream.resume()
  if (!stream.readableEnded && !stream.endAfterHeaders) stream.close(constants.NGHTTP2_NO_ERROR)
}

/** Closes a stream whose client reads too slowly, or not at all. */
function watchResponse(deadlines: ProgressDeadlines, stream: ServerHttp2Stream): void {
  const due = () => stream.writableLength
  const end = () => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  const memory = memoryOf({ socket: stream, stream })
  const client = memory && {
    isAuthenticated: () => memory.isAuthenticated(),
    hold: (unsent: number) => memory.hold(unsent + stream.readableLength),
  }
  stream.once('close', deadlines.watch({ moved: () => -due(), due, client }, end))
}

/** Whether the target of a request is a path. CONNECT has none, and `OPTIONS *` refers to no resource. */
function hasOriginForm({ ':method': method, ':path': path }: IncomingHttpHeaders): boolean {
  return method !== 'CONNECT' && typeof path === 'string' && path.startsWith('/')
}

function rejectTarget(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  stream.respond({ ':status': statusOfTarget(headers), allow: allowedMethods }, { endStream: true })
  dropRequest(stream)
}

function statusOfTarget({ ':method': method, ':path': path }: IncomingHttpHeaders): number {
  if (method === 'CONNECT') return 405
  return method === 'OPTIONS' && path === '*' ? 204 : 400
}
