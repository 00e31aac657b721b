import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { guarded, guardedImmediate } from '@fairlead/http1'
import type { ProgressDeadlines } from '@fairlead/gateway-core/http/progress-deadlines'
import { beginCall } from '../call/handle-call.ts'
import type { GrpcDependencies } from '../dependencies.ts'
import { dropRequest, http2Client } from './http2-downstream.ts'
import { webClient } from '../web/web-client.ts'
import { answerCors, isPreflight, preflightCors, webForm, webOrigin } from '../web/web-cors.ts'
import { webRequests } from '../web/web-requests.ts'

/** Hears of every stream of an HTTP/2 server. */
export type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  raw: readonly string[],
) => void

const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

const nativeType = /^application\/grpc(?:[+;]|$)/

/**
 * Makes the listener for HTTP/2.
 *
 * @param dependencies - what calls of gRPC and of gRPC-web need
 * @param otherwise - hears of every other request
 */
export function createGrpcListener(
  dependencies: GrpcDependencies,
  otherwise: StreamListener = refuse,
): StreamListener {
  const answer: StreamListener = (stream, headers, flags, raw) => {
    stream.on('error', () => undefined)
    // A client may have reset it by now.
    if (stream.destroyed || stream.closed) return
    if (dependencies.deadlines) watchResponse(dependencies.deadlines, stream)
    if (!hasOriginForm(headers)) return refuseTarget(stream, headers)
    const {
      ':method': method,
      ':path': path = '',
      ':authority': authority,
      host,
      'content-type': type,
    } = headers
    const web = webForm(method, type)
    const asked = {
      path,
      host: authority ?? host,
      received: { headers, raw },
      socket: stream.session?.socket ?? {},
      isWeb: web !== undefined,
    }
    if (web !== undefined)
      beginCall(dependencies, asked, overWeb(dependencies, stream, headers, web === 'text'))
    else if (method === 'POST' && nativeType.test(type ?? ''))
      beginCall(dependencies, asked, http2Client(stream))
    else if (isPreflight(method, headers)) {
      stream.respond(
        { ':status': 204, ...preflightCors(dependencies.corsOrigin, headers) },
        { endStream: true },
      )
      dropRequest(stream)
    } else otherwise(stream, headers, flags, raw)
  }
  return guarded('http2', answer, (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
}

/** Ends a stream whose client accepts nothing of what waits for it: its window is closed, or it reads too slowly. */
function watchResponse(deadlines: ProgressDeadlines, stream: ServerHttp2Stream): void {
  const due = () => stream.writableLength
  const end = () => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  stream.once('close', deadlines.watch({ moved: () => -due(), due }, end))
}

/** Whether the target of a request is a path. CONNECT has none, and `OPTIONS *` is about no resource. */
function hasOriginForm({ ':method': method, ':path': path }: IncomingHttpHeaders): boolean {
  return method !== 'CONNECT' && typeof path === 'string' && path.startsWith('/')
}

function refuseTarget(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  stream.respond({ ':status': statusOfTarget(headers), allow: allowedMethods }, { endStream: true })
  dropRequest(stream)
}

function statusOfTarget({ ':method': method, ':path': path }: IncomingHttpHeaders): number {
  if (method === 'CONNECT') return 405
  return method === 'OPTIONS' && path === '*' ? 204 : 400
}

function overWeb(
  dependencies: GrpcDependencies,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  isText: boolean,
) {
  const origin = webOrigin(dependencies, headers)
  const requests = webRequests(dependencies.maxBodyBytes, isText)
  stream.pipe(requests)
  requests.once('error', () => stream.unpipe(requests).resume())
  stream.once('finish', () => guardedImmediate(() => dropRequest(stream)))
  const answer = {
    stream,
    begin: (sent: object) => {
      if (!stream.closed) stream.respond({ ...sent, ...answerCors(origin), ':status': 200 })
    },
    destroy: () => stream.close(constants.NGHTTP2_CANCEL),
  }
  return webClient(requests, answer, isText)
}

function refuse(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 415, 'content-type': 'text/plain; charset=utf-8' })
  stream.end('HTTP/2 is for gRPC here. Use HTTP/1.1 for everything else.\n', () => dropRequest(stream))
}
