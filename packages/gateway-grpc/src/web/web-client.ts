import { frameTrailers, type HeaderFields } from '@fairlead/grpc-transport/wire'
import type { OutgoingHttpHeaders } from 'node:http2'
import type { Readable, Writable } from 'node:stream'
import type { Downstream } from '../call/downstream.ts'

/** Transport of a gRPC-web response, over HTTP/1.1 or HTTP/2. */
export interface WebResponse {
  readonly stream: Writable
  /** Sends the response headers with status 200. */
  sendHeaders(headers: OutgoingHttpHeaders): void
  destroy(): void
}

// A browser treats metadata as headers of the gateway's origin: Clear-Site-Data, NEL or Service-Worker-Allowed from a
// tenant's upstream would apply to every page and node of that origin. Custom metadata begin with x- by convention.
const forwardedNames = /^(?:x-|grpc-)|-bin$/
const browserNames =
  /^x-(?:frame-options|content-type-options|xss-protection|dns-prefetch-control|ua-compatible)$/

/** Returns the metadata of an upstream response that a browser may receive as headers. */
function metadataForWeb(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => name === 'retry-after' || (forwardedNames.test(name) && !browserNames.test(name)),
    ),
  )
}

/** Creates the client side of gRPC-web: trailers are the last frame of the body. */
export function webClient(requests: Readable, response: WebResponse, isText: boolean): Downstream {
  const { stream } = response
  let hasSentHeaders = false
  const sendHeaders = (headers: OutgoingHttpHeaders) => {
    if (hasSentHeaders || stream.destroyed) return
    hasSentHeaders = true
    const type = isText ? 'application/grpc-web-text+proto' : 'application/grpc-web+proto'
    response.sendHeaders({ ...metadataForWeb(headers), 'content-type': type })
  }
  // Chunks with separate padding can be decoded as soon as they arrive.
  const encode = (bytes: Uint8Array) =>
    isText ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') : bytes
  return {
    requests,
    response: stream,
    sendHeaders,
    write: (bytes) => stream.write(encode(bytes)),
    // A trailers-only response has header fields that are not valid in trailers.
    end: ({ 'content-type': _type, date: _date, ...trailers }) => {
      sendHeaders({})
      if (!stream.destroyed) stream.end(encode(frameTrailers(trailers as HeaderFields)))
    },
    destroy: () => response.destroy(),
  }
}
