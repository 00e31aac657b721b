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
  /** Limit of the whole call in milliseconds, further attempts included. A stream has none when left out. */
  readonly timeoutMs?: number | undefined
  /** How often a unary call is sent again; 0 for a call that must not reach the node twice. */
  readonly retries?: number | undefined
  /** Entries to send beside the request, by lower-case name; bytes where the name ends in `-bin`. */
  readonly metadata?: Metadata | undefined
  /** Hears the metadata that came before the first message. */
  readonly onHeaders?: ((headers: Metadata) => void) | undefined
  /** Hears the metadata of the end, without the status; of a failed call too. */
  readonly onTrailers?: ((trailers: Metadata) => void) | undefined
}

/**
 * The answers of a stream, in order; it is read once, and nothing is sent before the first read.
 *
 * Whoever stops early cancels the call on the server: `break`, `return()`, `throw()` and `await using` do.
 */
export interface GrpcStream<message> extends AsyncIterable<message> {
  [Symbol.asyncIterator](): GrpcStream<message>
  next(): Promise<IteratorResult<message, undefined>>
  return(): Promise<IteratorResult<message, undefined>>
  throw(error?: unknown): Promise<IteratorResult<message, undefined>>
  [Symbol.asyncDispose](): Promise<void>
}

/** Requests of a stream, one after the other; the next one is asked for when the server has room for it. */
export type Requests<request> = Iterable<request> | AsyncIterable<request>

// oxlint-disable-next-line typescript/no-explicit-any -- messages of any type
type AnyMethod = MethodDefinition<any, any>

/** What a client has for one method of a service. */
export type GrpcClientMethod<method extends AnyMethod> = method extends { readonly requestStream: true }
  ? (requests: Requests<MessageInput<method['requestType']>>, options?: GrpcCallOptions) => Answer<method>
  : (request: MessageInput<method['requestType']>, options?: GrpcCallOptions) => Answer<method>

type Answer<method extends AnyMethod> = method extends { readonly responseStream: true }
  ? GrpcStream<MessageOf<method['responseType']>>
  : Promise<MessageOf<method['responseType']>>

/** The methods of a service: promises for single answers, async iterables for streams. */
export type GrpcClient<service extends ServiceDefinition> = {
  readonly [name in keyof service['methods']]: GrpcClientMethod<service['methods'][name]>
} & {
  /** Ends the connection and the calls under way; a transport that was handed in stays open. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
