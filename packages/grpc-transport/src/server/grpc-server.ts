import { once } from 'node:events'
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { setTimeout as pause } from 'node:timers/promises'
import { acceptedEncodings, compressorOf, hasEncoding, type MessageEncoding } from '../compression.ts'
import { GrpcError } from '../wire/grpc-error.ts'
import { Status } from '../wire/status.ts'
import { parseTimeout } from '../wire/timeout.ts'
import { checkRequest } from './check-request.ts'
import { type CallLimits, Http2Call } from './http2-call.ts'
import { createHttp2Server, type Http2ServerOptions } from './http2-server.ts'
import type { Implementation } from './implement.ts'
import { respondOnly, respondStatus, statusHeaders } from './respond-status.ts'
import type { ServeCall } from './serve-call.ts'
import type { ServerStream } from './server-call.ts'

/** Options of {@link createGrpcServer}. Times are in milliseconds, sizes in bytes. */
export interface GrpcServerOptions {
  /** Results of {@link implement}, one for each service. */
  readonly implementations: readonly Implementation[]
  /** Maximum size of one request message in bytes, before and after decompression (default 4 MiB). */
  readonly maxMessageBytes?: number | undefined
  /** Maximum bytes of requests that all calls of one connection may buffer together (default 64 MiB). */
  readonly maxConnectionBytes?: number | undefined
  /** Maximum bytes of unsent responses of a call before its handler has to wait (default 128 KiB). */
  readonly writeBufferBytes?: number | undefined
  /** Milliseconds in which a client must read the remaining data of a failed call (default 5 s). */
  readonly lingerMs?: number | undefined
  /** Compression of responses, if the client supports the encoding. Default: none. */
  readonly compression?: MessageEncoding | undefined
  /** Limits of the connections. */
  readonly http2?: Http2ServerOptions | undefined
  /**
   * Called with each error of a handler that is not a GrpcError, and the path of the call; the client does not see it.
   */
  readonly onFault?: ((error: unknown, path: string) => void) | undefined
}

/** A gRPC server. */
export interface GrpcServer {
  /** The server of its connections; it can listen itself or receive them from `createPortServer`. */
  readonly http2: Http2Server
  /** `http://host:port` once it listens. */
  readonly url: string
  /** Number of open calls. */
  readonly openCalls: number
  /** Starts to listen without TLS; port 0 selects any free port. */
  listen(at?: { readonly host?: string | undefined; readonly port?: number | undefined }): Promise<void>
  /**
   * Accepts no further calls, waits for open ones, and after the grace period ends the remaining ones with UNAVAILABLE.
   * A second invocation waits for the first; a shorter grace period applies.
   */
  stop(graceMs?: number): Promise<void>
}

/**
 * Creates a server that serves gRPC calls with the handlers of its implementations.
 *
 * @param options - implementations and limits; sizes in bytes, times in milliseconds
 * @returns the server; it listens after a call of `listen`
 * @throws RangeError when two implementations have the same method
 * @example
 * ```ts
 * const server = createGrpcServer({ implementations: [implement(HealthDefinition, { check })] })
 * await server.listen({ port: 50_051 })
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const methods = methodsOf(options.implementations)
  const onFault = options.onFault ?? (() => undefined)
  const limits: CallLimits = {
    maxMessageBytes: options.maxMessageBytes ?? 4 << 20,
    maxConnectionBytes: options.maxConnectionBytes ?? 64 << 20,
    writeBufferBytes: options.writeBufferBytes ?? 128 << 10,
    lingerMs: options.lingerMs ?? 5_000,
  }
  const http2 = createHttp2Server(options.http2)
  const sessions = new Set<ServerHttp2Session>()
  const calls = new Set<Http2Call>()
  let deadline = Number.POSITIVE_INFINITY
  let stopping: Promise<void> | undefined

  http2.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    if (stopping !== undefined) session.close()
  })
  http2.on('stream', (stream, headers) => {
    if (stream.destroyed) return
    const fault = checkRequest(headers)
    if (fault !== undefined) {
      respondStatus(stream, fault.code, fault.detail, {}, fault.httpStatus)
      return
    }
    const serve = methods.get(headers[':path'] ?? '')
    if (serve === undefined) {
      respondStatus(stream, Status.UNIMPLEMENTED, 'the server does not have this method')
      return
    }
    accept(stream, headers, serve)
  })

  function accept(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, serve: ServeCall): void {
    const encoding = agreedEncoding(options.compression, headers['grpc-accept-encoding'])
    let call: Http2Call
    try {
      const timeoutMs = timeoutOf(headers['grpc-timeout'])
      // Timers have a resolution of one millisecond.
      if (timeoutMs !== undefined && timeoutMs < 1) {
        throw new GrpcError(Status.DEADLINE_EXCEEDED, 'the deadline of the call has passed')
      }
      call = new Http2Call(stream, { headers, limits, encoding, timeoutMs })
    } catch (error) {
      rejectCall(stream, error)
      return
    }
    calls.add(call)
    stream.once('close', () => calls.delete(call))
    const context = {
      compress: compressorOf(encoding),
      onFault: (error: unknown) => onFault(error, call.path),
    }
    void runCall(call, () => serve(call, context), context.onFault)
  }

  async function stop(): Promise<void> {
    const closed = http2.listening ? once(http2, 'close') : undefined
    http2.close()
    for (const session of sessions) session.close()
    while (sessions.size > 0 && performance.now() < deadline) await pause(10)
    for (const call of calls) {
      call.fail(new GrpcError(Status.UNAVAILABLE, 'the server is shutting down'))
    }
    // The statuses are sent within two event-loop ticks; a client that reads them closes its connection.
    deadline = performance.now() + 250
    while (calls.size > 0 && performance.now() < deadline) await pause(10)
    for (const session of sessions) session.destroy()
    await closed
  }

  return {
    http2,
    get url() {
      const address = http2.address()
      if (address === null || typeof address === 'string') throw new Error('the server does not listen')
      const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
      return `http://${host}:${address.port}`
    },
    get openCalls() {
      return calls.size
    },
    async listen({ host = '127.0.0.1', port = 0 } = {}) {
      http2.listen(port, host)
      await once(http2, 'listening')
    },
    stop(graceMs = 0) {
      deadline = Math.min(deadline, performance.now() + graceMs)
      stopping ??= stop()
      return stopping
    },
  }
}

function methodsOf(implementations: readonly Implementation[]): ReadonlyMap<string, ServeCall> {
  const methods = new Map<string, ServeCall>()
  for (const [path, serve] of implementations.flatMap((implementation) => [...implementation])) {
    if (methods.has(path)) throw new RangeError(`two implementations have the method ${path}`)
    methods.set(path, serve)
  }
  return methods
}

/** Selects the encoding of responses: the preferred one if both sides support it, else none. */
function agreedEncoding(
  preferred: MessageEncoding | undefined,
  accepted: string | readonly string[] | undefined,
): MessageEncoding | undefined {
  if (preferred === undefined || typeof accepted !== 'string' || !hasEncoding(preferred)) return undefined
  return accepted.split(',').some((name) => name.trim() === preferred) ? preferred : undefined
}

/** Serves a call and ends it, whatever its handler does. */
async function runCall(
  call: Http2Call,
  serve: () => Promise<void>,
  onFault: (error: unknown) => void,
): Promise<void> {
  try {
    await serve()
    call.end()
  } catch (error) {
    endWithError(call, error, onFault)
  }
}

function endWithError(call: ServerStream, error: unknown, onFault: (error: unknown) => void): void {
  // A handler whose call has ended may rethrow its abort reason; that is not a fault.
  const isExpected =
    GrpcError.is(error) || (call.hasEnded && error instanceof Error && error.name === 'AbortError')
  if (!isExpected) onFault(error)
  try {
    if (GrpcError.is(error)) call.end(error.code, error.detail, error.metadata)
    else call.end(Status.UNKNOWN, 'internal error', {})
  } catch (fault) {
    onFault(fault)
    call.end(Status.UNKNOWN, 'internal error', {})
  }
}

function timeoutOf(value: string | readonly string[] | undefined): number | undefined {
  if (value === undefined) return undefined
  const timeoutMs = typeof value === 'string' ? parseTimeout(value) : undefined
  if (timeoutMs === undefined) throw new GrpcError(Status.INTERNAL, 'the grpc-timeout is malformed')
  return timeoutMs
}

function rejectCall(stream: ServerHttp2Stream, error: unknown): void {
  const { code, detail } = GrpcError.is(error) ? error : new GrpcError(Status.INTERNAL, 'internal error')
  respondOnly(stream, { ...statusHeaders(code, detail), 'grpc-accept-encoding': acceptedEncodings })
}
