import { type CallOptions, FairleadError, nodeAddress, redact, type XTokenCredential } from '@fairlead/core'
import {
  type CallOptions as ChannelCallOptions,
  type ClientOptions as ChannelOptions,
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceError,
} from '@grpc/grpc-js'
import { once } from 'node:events'

/** A service as code generation describes it: its methods by name. */
// oxlint-disable-next-line typescript/no-explicit-any -- messages of any type; each method narrows its own
export type ServiceDefinition = Readonly<Record<string, MethodDefinition<any, any>>>

export interface GrpcClientOptions {
  /** Address of the node: `https://host[:port]`, port 443 by default, or `http://host:port` without TLS. */
  readonly url: string
  /** Token that is sent as the metadata entry `x-token`. */
  readonly auth: XTokenCredential
  /** Limit of a unary call in milliseconds. Default 30000. Streams have none. */
  readonly timeoutMs?: number | undefined
  /** Settings of the channel, passed to @grpc/grpc-js as they are. */
  readonly channel?: ChannelOptions | undefined
}

export type GrpcCallOptions = CallOptions

type Call<definition> =
  definition extends MethodDefinition<infer request, infer response>
    ? definition extends { readonly responseStream: false }
      ? (request: request, options?: GrpcCallOptions) => Promise<response>
      : definition extends { readonly requestStream: false }
        ? (request: request, options?: GrpcCallOptions) => AsyncIterable<response>
        : (
            requests: Iterable<request> | AsyncIterable<request>,
            options?: GrpcCallOptions,
          ) => AsyncIterable<response>
    : never

/** The methods of a service: promises for single answers, async iterables for streams. */
export type GrpcClient<service extends ServiceDefinition> = {
  readonly [method in keyof service]: Call<service[method]>
} & { close(): void }

/**
 * Makes a client of any gRPC service, authenticated by x-token.
 *
 * @param service - definition that code generation wrote, for example `GeyserService` of `@fairlead/grpc/geyser`
 * @param options - address, token, and the limit of unary calls in milliseconds
 * @returns one function per method, and `close`; 64-bit fields are `bigint`, bytes are `Uint8Array`
 * @throws FairleadError `CONFIG_INVALID` at once; `GRPC_STATUS` from a call, with the status code of gRPC
 * @example
 * ```ts
 * const geyser = createGrpcClient(GeyserService, { url: 'https://node.example.com', auth: { kind: 'x-token', token } })
 * const { slot } = await geyser.getSlot({ commitment: CommitmentLevel.CONFIRMED })
 * ```
 * @see specs/grpc/proto; https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export function createGrpcClient<const service extends ServiceDefinition>(
  service: service,
  { url, auth, timeoutMs = 30_000, channel }: GrpcClientOptions,
): GrpcClient<service> {
  const address = nodeAddress('grpc', url, auth)
  const entries = credentialMetadata(address.headers)
  const security = url.startsWith('http:') ? credentials.createInsecure() : credentials.createSsl()
  const client = new Client(address.url, security, channel)
  const call = { client, metadata: entries, secrets: address.secrets, timeoutMs }
  const methods = Object.entries(service).map(([name, method]) => [
    name,
    method.responseStream ? streamCall(method, call) : unaryCall(method, call),
  ])
  return Object.assign(Object.fromEntries(methods), { close: () => client.close() }) as GrpcClient<service>
}

interface Connection {
  readonly client: Client
  readonly metadata: Metadata
  readonly secrets: readonly string[]
  readonly timeoutMs: number
}

type Method = MethodDefinition<unknown, unknown>

function unaryCall(method: Method, { client, metadata, secrets, timeoutMs }: Connection) {
  return (request: unknown, options: GrpcCallOptions = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { signal } = options
      if (signal?.aborted) return reject(signal.reason)
      const deadline: ChannelCallOptions = { deadline: Date.now() + (options.timeoutMs ?? timeoutMs) }
      const call = client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadata,
        deadline,
        (error, response) => {
          signal?.removeEventListener('abort', cancel)
          if (error) reject(signal?.aborted ? signal.reason : statusError(method, error, secrets))
          else resolve(response)
        },
      )
      const cancel = () => call.cancel()
      signal?.addEventListener('abort', cancel, { once: true })
    })
}

function streamCall(method: Method, { client, metadata, secrets }: Connection) {
  return async function* (input: unknown, { signal, timeoutMs }: GrpcCallOptions = {}): AsyncGenerator {
    signal?.throwIfAborted()
    const { path, requestSerialize, responseDeserialize } = method
    const deadline: ChannelCallOptions = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs }
    const duplex = method.requestStream
      ? client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata, deadline)
      : undefined
    const call =
      duplex ??
      client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, input, metadata, deadline)
    const cancel = () => call.cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    const over = new AbortController()
    let failure: unknown
    if (duplex) {
      send(duplex, input as Requests, over.signal).catch((error: unknown) => {
        failure = error
        call.cancel()
      })
    }
    try {
      yield* call
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw failure ?? statusError(method, error as ServiceError, secrets)
    } finally {
      signal?.removeEventListener('abort', cancel)
      over.abort()
      call.cancel()
    }
  }
}

type Requests = Iterable<unknown> | AsyncIterable<unknown>

async function send(
  call: ClientDuplexStream<unknown, unknown>,
  requests: Requests,
  over: AbortSignal,
): Promise<void> {
  const iterator =
    Symbol.asyncIterator in requests ? requests[Symbol.asyncIterator]() : requests[Symbol.iterator]()
  // A source that waits for its next request has to learn that nobody will send it any more.
  const stop = async () => iterator.return?.()
  over.addEventListener('abort', () => void stop().catch(() => undefined), { once: true })
  for (;;) {
    const { done, value } = await iterator.next()
    if (over.aborted) return
    if (done) break
    // Whoever reads finds out why the call broke; here it is enough that nothing is waited for.
    if (!call.write(value)) await once(call, 'drain', { signal: over }).catch(() => undefined)
  }
  call.end()
}

function credentialMetadata(headers: Readonly<Record<string, string>>): Metadata {
  const entries = new Metadata()
  for (const [name, value] of Object.entries(headers)) {
    // The library would refuse other characters as well, with the token in its message.
    if (!/^[\x21-\x7e]+$/.test(value)) {
      throw new FairleadError('CONFIG_INVALID', {
        option: 'auth.token',
        rule: 'must be printable ASCII without spaces',
      })
    }
    entries.set(name, value)
  }
  return entries
}

function statusError(
  { path }: Method,
  { code, details }: ServiceError,
  secrets: readonly string[],
): FairleadError {
  const detail = redact(details ?? '', secrets)
  return new FairleadError('GRPC_STATUS', { operation: path, status: code ?? 2, detail })
}
