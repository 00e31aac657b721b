import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { EmptySchema } from '@bufbuild/protobuf/wkt'
import { ConnectError, type Transport } from '@connectrpc/connect'
import {
  type CallStart,
  GrpcError,
  headersToMetadata,
  type Metadata,
  metadataToHeaders,
  type StatusCode,
} from '@fairlead/grpc-transport/wire'
import type { AdapterResponse, AdapterCall } from '../adapter/adapter-call.ts'
import type { EmptyMessage, EmptyMethod } from './method.ts'
import { createSendQueue } from './send-queue.ts'

/** Begins a call on a transport of Connect. */
export function startConnectCall(
  transport: Transport,
  method: EmptyMethod,
  start: CallStart,
  signal: AbortSignal,
): AdapterCall {
  const { timeoutMs } = start
  const header = headersOf(start.metadata ?? {})
  const requests = createSendQueue<EmptyMessage>()

  async function exchange(): Promise<AdapterResponse> {
    if (method.methodKind === 'unary') {
      const first = await requests[Symbol.asyncIterator]().next()
      const request: EmptyMessage = first.done ? fromBinary(EmptySchema, new Uint8Array()) : first.value
      const { message, ...ends } = await transport.unary(method, signal, timeoutMs, header, request)
      return responseOf(ends, [message][Symbol.iterator]())
    }
    const { message, ...ends } = await transport.stream(method, signal, timeoutMs, header, requests)
    return responseOf(ends, message[Symbol.asyncIterator]())
  }

  return {
    response: exchange(),
    send: (message) => requests.put(fromBinary(EmptySchema, message)),
    end: () => requests.end(),
  }
}

/** Maps an error of Connect to a gRPC error: its codes are those of gRPC. */
export function statusOfConnect(error: unknown): GrpcError {
  const { code, rawMessage, metadata } = ConnectError.from(error)
  return new GrpcError(code as number as StatusCode, rawMessage, metadataOf(metadata))
}

interface Ends {
  readonly header: Headers
  /** Set after the last message was read. */
  readonly trailer: Headers
}

type Messages = Iterator<EmptyMessage> | AsyncIterator<EmptyMessage>

function responseOf({ header, trailer }: Ends, messages: Messages): AdapterResponse {
  let trailers: Metadata | undefined
  let next: Uint8Array | undefined
  return {
    headers: metadataOf(header),
    get trailers() {
      return trailers
    },
    read() {
      const message = next
      next = undefined
      return message
    },
    async pull() {
      if (next) return true
      const { done, value } = await messages.next()
      if (done) trailers = metadataOf(trailer)
      else next = toBinary(EmptySchema, value)
      return !done
    },
  }
}

function headersOf(metadata: Metadata): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(metadataToHeaders(metadata))) {
    for (const text of typeof value === 'string' ? [value] : value) headers.append(name, text)
  }
  return headers
}

function metadataOf(headers: Headers): Metadata {
  return headersToMetadata(Object.fromEntries(headers))
}
