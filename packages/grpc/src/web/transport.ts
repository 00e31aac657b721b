import {
  type CallStart,
  formatTimeout,
  frameMessage,
  GrpcError,
  metadataToHeaders,
  Status,
  type Transport,
} from '@fairlead/grpc-transport/wire'
import { parseServerUrl } from '../adapter/server-url.ts'
import type { AdapterResponse } from '../adapter/adapter-call.ts'
import { deferred } from '../adapter/deferred.ts'
import { createAdapterTransport } from '../adapter/transport.ts'
import { readResponse } from './response.ts'
import { encodeBase64 } from './base64.ts'

/** Options of a gRPC-web transport. */
export interface GrpcWebTransportOptions {
  /** Replaces the runtime's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** `text` sends base64, for a proxy that does not forward binary data. Default `binary`. */
  readonly format?: 'binary' | 'text' | undefined
  /** Maximum size of a received message in bytes. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined
}

/**
 * Creates a transport over gRPC-web: unary calls and server streams, by `fetch`, in every runtime that has it.
 *
 * A method with a client stream works too, as long as one request is sent: `geyser.Geyser/Subscribe` does.
 *
 * @param url - `https://host[:port]`, with a path if the service is mounted below one
 * @param options - `fetch`, `format`, and the maximum message size in bytes
 * @returns the transport, for `createGrpcWebClient` and other functions that accept one
 * @throws TypeError for another form of URL
 * @example
 * ```ts
 * const transport = createGrpcWebTransport('https://node.example.com')
 * const geyser = createGrpcWebClient(GeyserDefinition, { transport, auth: { kind: 'x-token', token } })
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
 */
export function createGrpcWebTransport(url: string, options: GrpcWebTransportOptions = {}): Transport {
  const { format = 'binary', maxMessageBytes = 64 * 1_048_576 } = options
  const base = parseServerUrl(url).href.replace(/\/+$/, '')
  const type = format === 'text' ? 'application/grpc-web-text+proto' : 'application/grpc-web+proto'

  async function exchange(start: CallStart, body: Uint8Array, signal: AbortSignal): Promise<AdapterResponse> {
    const headers = new Headers({ 'content-type': type, accept: type, 'x-grpc-web': '1' })
    if (start.timeoutMs !== undefined) headers.set('grpc-timeout', formatTimeout(start.timeoutMs))
    for (const [name, value] of Object.entries(metadataToHeaders(start.metadata ?? {}))) {
      for (const text of typeof value === 'string' ? [value] : value) headers.append(name, text)
    }
    const { fetch = globalThis.fetch } = options
    const response = await fetch(base + start.path, {
      method: 'POST',
      headers,
      body: format === 'text' ? encodeBase64(body) : (body as Uint8Array<ArrayBuffer>),
      // A followed redirect would send the token to another server.
      redirect: 'manual',
      signal,
    })
    return readResponse(response, maxMessageBytes)
  }

  return createAdapterTransport({
    startCall(start, signal) {
      const request = deferred<Uint8Array>()
      let isSent = false
      return {
        response: request.promise.then((body) => exchange(start, body, signal)),
        async send(message) {
          if (isSent) throw new GrpcError(Status.UNIMPLEMENTED, 'a call of gRPC-web has one request message')
          isSent = true
          // Does not wait for the end of the requests: a subscription may keep that side open.
          request.resolve(frameMessage(message))
        },
        end: () => request.resolve(new Uint8Array()),
      }
    },
    statusOf: connectionError,
  })
}

function connectionError(error: unknown): GrpcError {
  const { message, cause } = error as { message?: string; cause?: { code?: string } }
  const detail = ['no connection to the server:', message, cause?.code].filter(Boolean).join(' ')
  return new GrpcError(Status.UNAVAILABLE, detail)
}
