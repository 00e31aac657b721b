import type { CallOptions } from '@fairlead/core'
import type {
  MessageInput,
  MessageOf,
  Metadata,
  MethodDefinition,
  ServiceDefinition,
} from '@fairlead/grpc-transport/wire'

/** Limits of a single call, and its metadata in both directions. */
export interface GrpcCallOptions extends CallOptions {
  /** Timeout of the whole call in milliseconds, including retries. By default a stream has none. */
  readonly timeoutMs?: number | undefined
  /** Maximum number of retries of a unary call; 0 for a call that must not reach the node twice. */
  readonly retries?: number | undefined
  /** Metadata entries of the request, by lower-case name; bytes when the name ends in `-bin`. */
  readonly metadata?: Metadata | undefined
  /** Called with the metadata that arrived before the first message. */
  readonly onHeaders?: ((headers: Metadata) => void) | undefined
  /** Called with the metadata at the end, without the status; also for a failed call. */
  readonly onTrailers?: ((trailers: Metadata) => void) | undefined
}

/**
 * The responses of a stream, in order. It can be read once; the request is sent at the first read.
 *
 * Stopping early cancels the call on the server: `break`, `return()`, `throw()` and `await using` do.
 */
export interface GrpcStream<message> extends AsyncIterable<message> {
  [Symbol.asyncIterator](): GrpcStream<message>
  next(): Promise<IteratorResult<message, undefined>>
  return(): Promise<IteratorResult<message, undefined>>
  throw(error?: unknown): Promise<IteratorResult<message, undefined>>
  [Symbol.asyncDispose](): Promise<void>
}

/** Requests of a stream; the next one is read from the iterable when the server can receive it. */
export type Requests<request> = Iterable<request> | AsyncIterable<request>

// oxlint-disable-next-line typescript/no-explicit-any -- messages of any type
type AnyMethod = MethodDefinition<any, any>

/** The client function of one method of a service. */
export type GrpcClientMethod<method extends AnyMethod> = method extends { readonly requestStream: true }
  ? (
      requests: Requests<MessageInput<method['requestType']>>,
      options?: GrpcCallOptions,
    ) => MethodResult<method>
  : (request: MessageInput<method['requestType']>, options?: GrpcCallOptions) => MethodResult<method>

type MethodResult<method extends AnyMethod> = method extends { readonly responseStream: true }
  ? GrpcStream<MessageOf<method['responseType']>>
  : Promise<MessageOf<method['responseType']>>

/** The methods of a service: promises for single responses, async iterables for streams. */
export type GrpcClient<service extends ServiceDefinition> = {
  readonly [name in keyof service['methods']]: GrpcClientMethod<service['methods'][name]>
} & {
  /** Closes the connection and cancels open calls; a transport that was passed in stays open. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
