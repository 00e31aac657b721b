import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { Downstream } from '../call/downstream.ts'
import { dropRequest } from '@fairlead/gateway-core/http/http2-listener'
import { guardedImmediate } from '@fairlead/http1'

// What may wait for a client that reads more slowly than the node sends.
const maxWaitingBytes = 256 << 10

/** Makes the side of a client that speaks gRPC itself. */
export function http2Client(stream: ServerHttp2Stream): Downstream {
  let trailers: OutgoingHttpHeaders = {}
  let isGathering = false
  const send = () => {
    isGathering = false
    stream.uncork()
  }
  return {
    requests: stream,
    answer: stream,
    begin: (headers) => {
      if (stream.destroyed || stream.closed) return
      stream.once('wantTrailers', () => {
        if (stream.destroyed || stream.closed) return
        stream.sendTrailers(trailers)
        // Node sends the trailers in the next turn of the event loop, before this.
        guardedImmediate(() => dropRequest(stream))
      })
      stream.respond({ ...headers, ':status': 200 }, { waitForTrailers: true })
    },
    write: (bytes) => {
      if (!isGathering) {
        isGathering = true
        stream.cork()
        guardedImmediate(send)
      }
      stream.write(bytes)
      return stream.writableLength < maxWaitingBytes
    },
    end: (last) => {
      if (stream.destroyed || stream.closed) return
      if (stream.headersSent) {
        trailers = last
        stream.end()
        return
      }
      stream.respond({ 'content-type': 'application/grpc', ...last, ':status': 200 }, { endStream: true })
      // Before Node 24 a reset overtakes headers that were written in the same turn.
      guardedImmediate(() => dropRequest(stream))
    },
    destroy: () => stream.close(constants.NGHTTP2_CANCEL),
  }
}
