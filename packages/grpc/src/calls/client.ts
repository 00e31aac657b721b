import { FairleadError } from '@fairlead/core'
import {
  type Call,
  callUnary,
  encodeMessage,
  GrpcError,
  type MessageCodec,
  type MethodDefinition,
  type ServiceDefinition,
  Status,
} from '@fairlead/grpc-transport/wire'
import { callMetadata, type Connection, requireTimeout } from './connection.ts'
import { callFailure } from './failure.ts'
import { requestSource, sendRequests } from './requests.ts'
import { withRetries } from './retry.ts'
import { messageStream } from './stream.ts'
import type { GrpcCallOptions, GrpcClient, GrpcStream, Requests } from './types.ts'

/** Creates one function per method of a service, over a connection. */
export function clientOver<const service extends ServiceDefinition>(
  { fullName, methods }: service,
  connection: Connection,
): GrpcClient<service> {
  const calls = Object.entries(methods).map(([name, definition]) => {
    const method = { ...definition, path: `/${fullName}/${definition.name}` }
    if (!method.responseStream) return [name, method.requestStream ? clientStream(method) : unary(method)]
    return [name, (input: unknown, options?: GrpcCallOptions) => stream(method, connection, input, options)]
  })
  const close = () => connection.close()
  return {
    ...(Object.fromEntries(calls) as object),
    close,
    ...(Symbol.asyncDispose && { [Symbol.asyncDispose]: close }),
  } as unknown as GrpcClient<service>

  function unary(method: Method) {
    return (request: unknown, options?: GrpcCallOptions) => single(method, connection, request, options)
  }

  function clientStream(method: Method) {
    return (requests: Requests<unknown>, options?: GrpcCallOptions) =>
      singleResponse(method, connection, stream(method, connection, requests, options))
  }
}

type Method = MethodDefinition<unknown, unknown> & { readonly path: string }

async function single(
  { path, requestType, responseType }: Method,
  connection: Connection,
  request: unknown,
  options: GrpcCallOptions = {},
): Promise<unknown> {
  const {
    signal,
    timeoutMs = connection.timeoutMs,
    retries = connection.retries,
    onHeaders,
    onTrailers,
  } = options
  requireTimeout(timeoutMs)
  const metadata = callMetadata(connection, options)
  const bytes = encodeMessage(requestType, request)
  const { transport, secrets } = connection
  const start = { path, metadata, signal, requestStream: false, responseStream: false }
  try {
    const response = await withRetries({ retries, timeoutMs, signal }, (remainingMs) =>
      callUnary(transport, { ...start, timeoutMs: remainingMs }, bytes),
    )
    onHeaders?.(response.headers)
    onTrailers?.(response.trailers)
    return decode(path, responseType, response.message)
  } catch (error) {
    if (GrpcError.is(error)) onTrailers?.(error.metadata)
    throw callFailure(path, error, secrets)
  }
}

function stream(
  method: Method,
  connection: Connection,
  input: unknown,
  options: GrpcCallOptions = {},
): GrpcStream<unknown> {
  const { signal, timeoutMs, onHeaders, onTrailers } = options
  const { path, requestType, requestStream, responseType, responseStream } = method
  return messageStream({
    open() {
      requireTimeout(timeoutMs)
      const source = requestSource(requestStream ? (input as Requests<unknown>) : [input])
      const metadata = callMetadata(connection, options)
      const start = { path, metadata, timeoutMs, signal, requestStream, responseStream }
      const call: Call = connection.transport.open(start)
      if (onHeaders) {
        call.headers.then(onHeaders, () => undefined).catch((error: unknown) => call.cancel(error))
      }
      return { call, close: sendRequests(call, source, (request) => encodeMessage(requestType, request)) }
    },
    decode: (bytes) => decode(path, responseType, bytes),
    failure(error) {
      if (GrpcError.is(error)) onTrailers?.(error.metadata)
      return callFailure(path, error, connection.secrets)
    },
    onTrailers,
  })
}

async function singleResponse(
  { path }: Method,
  { secrets }: Connection,
  responses: GrpcStream<unknown>,
): Promise<unknown> {
  const first = await responses.next()
  if (!first.done && (await responses.next()).done) return first.value
  await responses.return()
  const rule = 'the server answered without a message, or with more than one'
  throw callFailure(path, new GrpcError(Status.UNIMPLEMENTED, rule), secrets)
}

function decode(operation: string, codec: MessageCodec<unknown>, bytes: Uint8Array): unknown {
  try {
    return codec.decode(bytes)
  } catch {
    const rule = 'must be a protobuf message of the type that the service has here'
    throw new FairleadError('DECODE_INVALID', { operation, path: 'message', rule })
  }
}
