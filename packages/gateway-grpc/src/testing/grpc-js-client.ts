import { Client, credentials, Metadata, type ServiceError, type StatusObject } from '@grpc/grpc-js'
import { onTestFinished } from 'vitest'
import { xToken } from './grpc-fixture.ts'

const serialize = (text: string): Buffer => Buffer.from(text)
const deserialize = (bytes: Buffer): string => bytes.toString()

/** Outcome of a call of any kind. */
export interface Outcome {
  readonly messages: readonly string[]
  readonly headers: Metadata | undefined
  readonly status: StatusObject
}

/** Client of another implementation, with a separate connection, until the running test ends. */
export function grpcJs(url: string, token: string | null = xToken, options: object = {}) {
  const client = new Client(url.replace(/^https?:\/\//, ''), credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    ...options,
  })
  onTestFinished(() => client.close())
  const metadata = new Metadata()
  if (token !== null) metadata.set('x-token', token)
  return {
    metadata,
    one: (request: string, path = '/test.Test/One', call: object = {}) =>
      new Promise<Outcome>((resolve) => {
        const messages: string[] = []
        let headers: Metadata | undefined
        client
          .makeUnaryRequest<string, string>(
            path,
            serialize,
            deserialize,
            request,
            metadata,
            call,
            (_: ServiceError | null, response) => {
              if (response !== undefined) messages.push(response)
            },
          )
          .on('metadata', (first: Metadata) => (headers = first))
          .on('status', (status: StatusObject) => setImmediate(() => resolve({ messages, headers, status })))
      }),
    join: (requests: readonly string[]) =>
      new Promise<Outcome>((resolve) => {
        const messages: string[] = []
        const call = client.makeClientStreamRequest<string, string>(
          '/test.Test/Join',
          serialize,
          deserialize,
          metadata,
          (_: ServiceError | null, response) => {
            if (response !== undefined) messages.push(response)
          },
        )
        call.on('status', (status: StatusObject) =>
          setImmediate(() => resolve({ messages, headers: undefined, status })),
        )
        for (const request of requests) call.write(request)
        call.end()
      }),
    split: (request: string, path = '/test.Test/Split', call: object = {}) =>
      collectResponses(
        client.makeServerStreamRequest<string, string>(path, serialize, deserialize, request, metadata, call),
      ),
    echo: (path = '/test.Test/Echo') =>
      collectResponses(client.makeBidiStreamRequest<string, string>(path, serialize, deserialize, metadata)),
  }
}

interface ResponseStream {
  on(event: 'data', listener: (message: string) => void): unknown
  on(event: 'error', listener: () => void): unknown
  on(event: 'status', listener: (status: StatusObject) => void): unknown
  on(event: 'metadata', listener: (headers: Metadata) => void): unknown
}

function collectResponses<call extends ResponseStream>(call: call) {
  const messages: string[] = []
  let headers: Metadata | undefined
  call.on('data', (message) => messages.push(message))
  call.on('metadata', (first) => (headers = first))
  call.on('error', () => undefined)
  const ended = new Promise<Outcome>((resolve) => {
    call.on('status', (status) => setImmediate(() => resolve({ messages, headers, status })))
  })
  return { call, messages, ended }
}
