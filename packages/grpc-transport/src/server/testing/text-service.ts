import * as grpc from '@grpc/grpc-js'
import { createGrpcServer, type GrpcServer, type GrpcServerOptions } from '../grpc-server.ts'
import { type Handlers, implement } from '../implement.ts'

/** A message that is text, so that the tests need no generated code. */
const text = {
  encode: (message: string) => ({ finish: (): Uint8Array => new TextEncoder().encode(message) }),
  decode: (bytes: Uint8Array): string => {
    if (bytes[0] === 0xff) throw new RangeError('no text')
    return new TextDecoder().decode(bytes)
  },
}

function method<const name extends string, const arriving extends boolean, const leaving extends boolean>(
  name: name,
  requestStream: arriving,
  responseStream: leaving,
) {
  return { name, requestType: text, requestStream, responseType: text, responseStream, options: {} } as const
}

/** A service with a method of each kind. */
export const TextDefinition = {
  name: 'Text',
  fullName: 'test.Text',
  methods: {
    one: method('One', false, false),
    list: method('List', false, true),
    collect: method('Collect', true, false),
    talk: method('Talk', true, true),
  },
} as const

export type TextHandlers = Handlers<typeof TextDefinition>

const open: (() => Promise<unknown> | void)[] = []

/** Closes everything that the test opened, in reverse order. */
export async function closeAll(): Promise<void> {
  for (const close of open.splice(0).toReversed()) await close()
}

export function closeLater(close: () => Promise<unknown> | void): void {
  open.push(close)
}

/** Serves the text service on a free port. */
export async function serveText(
  handlers: TextHandlers,
  options: Omit<GrpcServerOptions, 'implementations'> = {},
): Promise<GrpcServer> {
  const server = createGrpcServer({ ...options, implementations: [implement(TextDefinition, handlers)] })
  await server.listen()
  closeLater(() => server.stop())
  return server
}

const toBytes = (message: string): Buffer => Buffer.from(message)
const toText = (bytes: Buffer): string => bytes.toString()

/** A grpc-js client of the text service. */
export function grpcJsClient(server: Pick<GrpcServer, 'url'>, options: grpc.ClientOptions = {}) {
  const address = server.url.replace('http://', '')
  const client = new grpc.Client(address, grpc.credentials.createInsecure(), options)
  closeLater(() => client.close())
  return {
    client,
    one: (message: string, callOptions: grpc.CallOptions = {}, metadata = new grpc.Metadata()) =>
      new Promise<string>((resolve, reject) => {
        client.makeUnaryRequest(
          '/test.Text/One',
          toBytes,
          toText,
          message,
          metadata,
          callOptions,
          (error, response) => {
            if (error) reject(error)
            else resolve(response ?? '')
          },
        )
      }),
    list: (message: string, callOptions: grpc.CallOptions = {}) =>
      client.makeServerStreamRequest('/test.Text/List', toBytes, toText, message, callOptions),
    collect: (messages: readonly string[]) =>
      new Promise<string>((resolve, reject) => {
        const call = client.makeClientStreamRequest(
          '/test.Text/Collect',
          toBytes,
          toText,
          (error, response) => {
            if (error) reject(error)
            else resolve(response ?? '')
          },
        )
        for (const message of messages) call.write(message)
        call.end()
      }),
    talk: (callOptions: grpc.CallOptions = {}) =>
      client.makeBidiStreamRequest('/test.Text/Talk', toBytes, toText, callOptions),
  }
}

/** Reads a grpc-js call to its end. */
export async function outcomeOf(call: grpc.ClientReadableStream<string>) {
  const messages: string[] = []
  const status = await new Promise<grpc.StatusObject>((resolve) => {
    call.on('data', (message: string) => messages.push(message))
    call.on('error', () => undefined)
    call.on('status', resolve)
  })
  return { messages, code: status.code, details: status.details, trailers: status.metadata.getMap() }
}
