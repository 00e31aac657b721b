import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { createFrameReader } from '../../wire/frame-reader.ts'
import { closeLater } from './text-service.ts'

/** A connection of node:http2, closed after the test. */
export async function connection(url: string): Promise<ClientHttp2Session> {
  const session = connect(url)
  session.on('error', () => undefined)
  closeLater(() => session.destroy())
  await once(session, 'connect')
  return session
}

/** Opens a call; the test does everything else. */
export function openCall(
  session: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders = {},
): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  })
  stream.on('error', () => undefined)
  return stream
}

/** Reads a response to its end. */
export async function responseOf(stream: ClientHttp2Stream) {
  const fields: Record<string, unknown> = {}
  for (const event of ['response', 'trailers']) {
    stream.on(event, (headers: Record<string, unknown>) => Object.assign(fields, headers))
  }
  const frames = createFrameReader({ maxMessageBytes: 1 << 30 })
  stream.on('data', (bytes: Buffer) => frames.push(bytes)).resume()
  if (!stream.destroyed) await once(stream, 'close')
  const messages: Uint8Array[] = []
  for (let message = frames.read(); message !== undefined; message = frames.read()) messages.push(message)
  return { fields, messages, status: fields['grpc-status'], rstCode: stream.rstCode }
}
