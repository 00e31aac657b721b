import {
  type CallStart,
  GrpcError,
  type Metadata,
  metadataToHeaders,
  type MetadataValue,
  Status,
  type StatusCode,
} from '@fairlead/grpc-transport/wire'
import { type Client, type ClientDuplexStream, Metadata as Entries, type StatusObject } from '@grpc/grpc-js'
import type { AdapterResponse, AdapterCall } from '../adapter/adapter-call.ts'

/** Begins a call on a channel. Every call type is handled in the same way: as a bidirectional stream. */
export function startChannelCall(client: Client, start: CallStart, signal: AbortSignal): AdapterCall {
  const { path, timeoutMs, metadata = {} } = start
  // The library would expose the value of an entry that cannot be sent.
  metadataToHeaders(metadata)
  const deadline = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs }
  const duplex: Duplex = client.makeBidiStreamRequest(path, bufferOf, bytesOf, entriesOf(metadata), deadline)
  signal.addEventListener('abort', () => duplex.cancel(), { once: true })
  // The same error is reported again as the status.
  duplex.on('error', () => undefined)
  return {
    response: responseOf(duplex),
    send(message) {
      if (duplex.write(message)) return Promise.resolve()
      return new Promise((resolve) => duplex.once('drain', resolve))
    },
    end: () => void duplex.end(),
  }
}

/** Maps an error of the library to a gRPC error; statuses are not reported this way. */
export function statusOfChannel(error: unknown): GrpcError {
  return new GrpcError(Status.INTERNAL, (error as Error).message)
}

type Duplex = ClientDuplexStream<Uint8Array, Uint8Array>

function responseOf(duplex: Duplex): Promise<AdapterResponse> {
  return new Promise((resolve) => {
    let headers: Metadata = {}
    let status: StatusObject | undefined
    let next: Uint8Array | undefined
    let wake: (() => void) | undefined

    const response: AdapterResponse = {
      get headers() {
        return headers
      },
      get trailers() {
        return status && metadataOf(status.metadata)
      },
      read() {
        const message = next ?? readNext()
        next = undefined
        return message
      },
      async pull() {
        for (;;) {
          next ??= readNext()
          if (next) return true
          // Comes last: the status is reported before the messages that wait here were read.
          if (status) return finish(status)
          await new Promise<void>((resolveWait) => {
            wake = resolveWait
          })
        }
      },
    }
    const readNext = () => (duplex.read() as Uint8Array | null) ?? undefined
    duplex.on('metadata', (entries) => {
      headers = metadataOf(entries)
      resolve(response)
    })
    duplex.on('readable', () => wake?.())
    duplex.on('status', (reported) => {
      status = reported
      resolve(response)
      wake?.()
    })
  })
}

function finish({ code, details, metadata }: StatusObject): false {
  const status = code as number as StatusCode
  if (status === Status.OK) return false
  throw new GrpcError(status, details, metadataOf(metadata))
}

function entriesOf(metadata: Metadata): Entries {
  const entries = new Entries()
  for (const [name, value] of Object.entries(metadata)) {
    const values: readonly MetadataValue[] =
      typeof value === 'string' || value instanceof Uint8Array ? [value] : value
    for (const item of values) entries.add(name, typeof item === 'string' ? item : Buffer.from(item))
  }
  return entries
}

function metadataOf(entries: Entries): Metadata {
  const metadata = Object.entries(entries.toJSON()).map(([name, values]) => {
    const read = values.map((value) => (typeof value === 'string' ? value : bytesOf(value)))
    return [name, read.length === 1 ? read[0] : read] as const
  })
  return Object.fromEntries(metadata) as Metadata
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

// A plain Uint8Array: messages are views of it, and have the same type over every transport.
function bytesOf(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)
}
