import type { MethodDefinition, ServiceDefinition } from '@fairlead/grpc-transport/wire'
import {
  type CallOptions,
  Client,
  credentials,
  Metadata,
  type ServiceError,
  type StatusObject,
} from '@grpc/grpc-js'

/** The outcome of a call. */
export interface Outcome<response> {
  readonly messages: readonly response[]
  readonly headers: Metadata | undefined
  readonly status: StatusObject
}

/** A method definition in the form that the third-party client accepts. */
interface Method<request, response> {
  readonly path: string
  readonly serialize: (message: request) => Buffer
  readonly deserialize: (bytes: Buffer) => response
}

/** Finds a method in one of our service definitions. */
export function methodOf<service extends ServiceDefinition, name extends keyof service['methods']>(
  service: service,
  name: name,
): service['methods'][name] extends MethodDefinition<infer request, infer response>
  ? Method<request, response>
  : never {
  const method = (service.methods as Readonly<Record<PropertyKey, MethodDefinition<unknown, unknown>>>)[name]
  if (!method) throw new Error(`no method ${String(name)}`)
  const { requestType, responseType } = method
  return {
    path: `/${service.fullName}/${method.name}`,
    serialize: (message: unknown) => Buffer.from(requestType.encode(message).finish()),
    deserialize: (bytes: Buffer) => responseType.decode(bytes),
  } as never
}

/** Opens a client of `@grpc/grpc-js`. If the token is undefined, it sends none. */
export function grpcJs(url: string, token: string | undefined) {
  const client = new Client(new URL(url).host, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
  })
  const metadata = new Metadata()
  if (token !== undefined) metadata.set('x-token', token)
  const call = <request, response>(
    { path, serialize, deserialize }: Method<request, response>,
    message: request,
    options: CallOptions = {},
  ) =>
    new Promise<Outcome<response>>((resolve) => {
      const messages: response[] = []
      let headers: Metadata | undefined
      const onMessage = (_: ServiceError | null, answer?: response) => void (answer && messages.push(answer))
      client
        .makeUnaryRequest(path, serialize, deserialize, message, metadata, options, onMessage)
        .on('metadata', (first: Metadata) => (headers = first))
        .on('status', (status: StatusObject) => setImmediate(() => resolve({ messages, headers, status })))
    })
  const open = <request, response>(
    { path, serialize, deserialize }: Method<request, response>,
    options: CallOptions = {},
  ) => {
    const stream = client.makeBidiStreamRequest(path, serialize, deserialize, metadata, options)
    const ended = new Promise<StatusObject>((resolve) => {
      stream.on('error', () => undefined).on('status', resolve)
    })
    return { stream, ended }
  }
  return { metadata, call, open, close: () => client.close() }
}
