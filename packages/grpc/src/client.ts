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
  const security = url.startsWith('http:') ? credentials.createInsecure() : credentials.createSsl()
  const client = new Client(address.url, security, channel)
  const call = { client, headers: address.headers, secrets: address.secrets, timeoutMs }
  const methods = Object.entries(service).map(([name, method]) => [
    name,
    method.responseStream ? streamCall(method, call) : unaryCall(method, call),
  ])
  return Object.assign(Object.fromEntries(methods), { close: () => client.close() }) as GrpcClient<service>
}

interface Connection {
  readonly client: Client
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly timeoutMs: number
}

type Method = MethodDefinition<unknown, unknown>

function unaryCall(method: Method, { client, headers, secrets, timeoutMs }: Connection) {
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
        metadata(headers),
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

function streamCall(method: Method, { client, headers, secrets }: Connection) {
  return async function* (input: unknown, { signal, timeoutMs }: GrpcCallOptions = {}): AsyncGenerator<unknown> {
    signal?.throwIfAborted()
    const { path, requestSerialize, responseDeserialize } = method
    const deadline: ChannelCallOptions = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs }
    const duplex = method.requestStream
      ? client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata(headers), deadline)
      : undefined
    const call =
      duplex ??
      client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, input, metadata(headers), deadline)
    const cancel = () => call.cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    let failure: unknown
    if (duplex) {
      send(duplex, input as AsyncIterable<unknown>).catch((error: unknown) => {
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
      call.cancel()
    }
  }
}

async function send(call: ClientDuplexStream<unknown, unknown>, requests: AsyncIterable<unknown>): Promise<void> {
  for await (const request of requests) {
    if (call.write(request)) continue
    await new Promise<void>((resolve) => {
      call.once('drain', resolve)
      call.once('close', resolve)
    })
  }
  call.end()
}

function metadata(headers: Readonly<Record<string, string>>): Metadata {
  const entries = new Metadata()
  for (const [name, value] of Object.entries(headers)) entries.set(name, value)
  return entries
}

function statusError({ path }: Method, { code, details }: ServiceError, secrets: readonly string[]): FairleadError {
  const detail = redact(details ?? '', secrets)
  return new FairleadError('GRPC_STATUS', { operation: path, status: code ?? 2, detail })
}
