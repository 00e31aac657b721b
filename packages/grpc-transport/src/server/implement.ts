import { frameHead } from '../wire/frame.ts'
import { GrpcError } from '../wire/grpc-error.ts'
import {
  encodeMessage,
  type MessageCodec,
  type MessageInput,
  type MessageOf,
  type MethodDefinition,
  type ServiceDefinition,
} from '../wire/service.ts'
import { Status } from '../wire/status.ts'
import type { ServeCall } from './serve-call.ts'
import type { ServerCall, ServerStream } from './server-call.ts'

/** A method that works with bytes, created by {@link raw}. */
export interface RawMethod {
  serve(stream: ServerStream): Promise<void>
}

type AnyMethod = MethodDefinition<unknown, unknown>
type Response<method extends AnyMethod> = MessageInput<method['responseType']>
type HandlerInput<method extends AnyMethod> = method extends { readonly requestStream: true }
  ? AsyncIterable<MessageOf<method['requestType']>>
  : MessageOf<method['requestType']>
type HandlerOutput<method extends AnyMethod> = method extends { readonly responseStream: true }
  ? AsyncIterable<Response<method>>
  : Response<method> | Promise<Response<method>>

/** The handler of a method: a function of its messages, or of bytes. */
export type Handler<method extends AnyMethod> =
  | ((input: HandlerInput<method>, call: ServerCall) => HandlerOutput<method>)
  | RawMethod

/**
 * The handlers of a service, by the names of the methods in the definition. A method without a handler responds with
 * UNIMPLEMENTED.
 */
export type Handlers<service extends ServiceDefinition> = {
  readonly [name in keyof service['methods']]?: Handler<service['methods'][name]> | undefined
}

/** The methods of a service, by path. */
export type Implementation = ReadonlyMap<string, ServeCall>

/**
 * Marks a method that reads the bytes of messages and writes framed messages, which many calls can share.
 *
 * @param serve - reads and writes; the call ends with OK when it resolves, and like other handlers when it rejects
 * @returns the method for {@link implement}
 * @example
 * ```ts
 * implement(GeyserDefinition, { subscribe: raw(async (stream) => {
 *   while (!stream.hasEnded) if (!stream.write(await nextFrame(stream.signal))) await stream.drained()
 * }) })
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Length-Prefixed-Message
 */
export function raw(serve: (stream: ServerStream) => Promise<void>): RawMethod {
  return { serve }
}

/**
 * Combines a service definition with its handlers. A handler receives one request, or an iterable of requests for a
 * client stream. It returns one response, or an iterable of responses, which is closed when the client disconnects.
 * Fields of a response are optional if the generated code can fill them in.
 *
 * @param definition - service definition from the generated code
 * @param handlers - handlers by the names of methods in the definition
 * @returns the implementation for `createGrpcServer`
 * @example
 * ```ts
 * implement(HealthDefinition, { check: () => ({ status: HealthCheckResponse_ServingStatus.SERVING }) })
 * ```
 * @see https://grpc.io/docs/what-is-grpc/core-concepts/#rpc-life-cycle
 */
export function implement<const service extends ServiceDefinition>(
  definition: service,
  handlers: NoInfer<Handlers<service>>,
): Implementation {
  const implemented = new Map<string, ServeCall>()
  const byName = handlers as Readonly<Record<string, AnyHandler | RawMethod | undefined>>
  for (const [name, method] of Object.entries(definition.methods)) {
    const handler = byName[name]
    if (handler === undefined) continue
    implemented.set(
      `/${definition.fullName}/${method.name}`,
      typeof handler === 'function' ? serveMessages(method, handler) : serveRaw(handler),
    )
  }
  return implemented
}

// Clients of streams wait for the headers before they continue. A handler that fails immediately still sends one frame
// only.
function scheduleHeaders(stream: ServerStream): void {
  setImmediate(() => stream.sendHeaders())
}

function serveRaw(method: RawMethod): ServeCall {
  return (stream) => {
    scheduleHeaders(stream)
    return method.serve(stream)
  }
}

type AnyHandler = (input: unknown, call: ServerCall) => unknown

function serveMessages(method: AnyMethod, handler: AnyHandler): ServeCall {
  return async (stream, { compress, onFault }) => {
    const write = (response: unknown): boolean => {
      const bytes = encodeMessage(method.responseType, response)
      return writeMessage(stream, compress === undefined ? bytes : compress(bytes), compress !== undefined)
    }
    const requests = method.requestStream
      ? requestsOf(stream, method.requestType)
      : await singleRequest(stream, method.requestType)
    if (method.responseStream) {
      scheduleHeaders(stream)
      const responses = handler(requests, stream) as AsyncIterable<unknown>
      await writeResponses(stream, responses, write, onFault)
    } else {
      const response = await handler(requests, stream)
      write(response)
    }
  }
}

async function* requestsOf(stream: ServerStream, codec: MessageCodec<unknown>): AsyncGenerator {
  while (await stream.readable()) {
    for (let bytes = stream.read(); bytes !== undefined; bytes = stream.read()) yield decode(codec, bytes)
  }
}

async function singleRequest(stream: ServerStream, codec: MessageCodec<unknown>): Promise<unknown> {
  const bytes = (await stream.readable()) ? stream.read() : undefined
  if (bytes === undefined || (await stream.readable())) {
    throw new GrpcError(Status.UNIMPLEMENTED, 'the method takes exactly one request')
  }
  return decode(codec, bytes)
}

function decode(codec: MessageCodec<unknown>, bytes: Uint8Array): unknown {
  try {
    return codec.decode(bytes)
  } catch (cause) {
    throw new GrpcError(Status.INTERNAL, 'a request cannot be decoded', {}, { cause })
  }
}

// Head and message are written separately: the stream joins them, and a framed copy of each message would double the
// cost.
function writeMessage(stream: ServerStream, message: Uint8Array, compressed: boolean): boolean {
  stream.write(frameHead(message.length, compressed))
  return stream.write(message)
}

async function writeResponses(
  stream: ServerStream,
  responses: AsyncIterable<unknown>,
  write: (response: unknown) => boolean,
  onFault: (error: unknown) => void,
): Promise<void> {
  const iterator = responses[Symbol.asyncIterator]()
  let isOpen = true
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    // It resolves when the handler has stopped, possibly with a delay, so it is not awaited.
    Promise.resolve(iterator.return?.()).catch(onFault)
  }
  stream.signal.addEventListener('abort', close, { once: true })
  try {
    while (!stream.hasEnded) {
      const next = await iterator.next()
      if (next.done === true) {
        isOpen = false
        return
      }
      if (!write(next.value)) await stream.drained()
    }
  } finally {
    stream.signal.removeEventListener('abort', close)
    close()
  }
}
