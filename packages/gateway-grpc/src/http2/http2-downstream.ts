import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { type Downstream, maxResponseBytes } from '../call/downstream.ts'
import { dropRequest } from '@fairlead/gateway-core/http/http2-listener'
import { guardedImmediate } from '@fairlead/runtime'

/** Creates the client side of native gRPC. */
export function http2Client(stream: ServerHttp2Stream): Downstream {
  let trailers: OutgoingHttpHeaders = {}
  let isCorked = false
  const flush = () => {
    isCorked = false
    stream.uncork()
  }
  return {
    requests: stream,
    response: stream,
    sendHeaders: (headers) => {
      if (stream.destroyed || stream.closed) return
      stream.once('wantTrailers', () => {
        if (stream.destroyed || stream.closed) return
        stream.sendTrailers(trailers)
        // Node.js sends the trailers in the next event-loop tick, before this callback.
        guardedImmediate(() => dropRequest(stream))
      })
      stream.respond({ ...headers, ':status': 200 }, { waitForTrailers: true })
    },
    write: (bytes) => {
      if (!isCorked) {
        isCorked = true
        stream.cork()
        guardedImmediate(flush)
      }
      stream.write(bytes)
      return stream.writableLength < maxResponseBytes
    },
    end: (last) => {
      if (stream.destroyed || stream.closed) return
      if (stream.headersSent) {
        trailers = last
        stream.end()
        return
      }
      stream.respond({ 'content-type': 'application/grpc', ...last, ':status': 200 }, { endStream: true })
      // Before Node.js 24, a reset overtakes headers that were written in the same event-loop tick.
      guardedImmediate(() => dropRequest(stream))
    },
    destroy: () => stream.close(constants.NGHTTP2_CANCEL),
  }
}
