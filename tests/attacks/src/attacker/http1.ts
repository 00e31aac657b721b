import type { Connection } from './connection.ts'

/** Header fields by name. */
export type Headers = Readonly<Record<string, string>>

/** The start of an HTTP/1.1 request, without the empty line that ends its headers. */
export function unfinishedHead(method: string, path: string, headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}`
}

/** A complete HTTP/1.1 request. */
export function completeRequest(
  method: string,
  path: string,
  headers: Headers,
  body: Buffer | string = '',
): Buffer {
  const length = body.length > 0 ? { 'content-length': String(Buffer.byteLength(body)) } : {}
  const head = `${unfinishedHead(method, path, { ...headers, ...length })}\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(body)])
}

/** A chunk of a body with `transfer-encoding: chunked`; an empty one ends the body. */
export function chunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}

/** Calls the listener when the headers of the first response have arrived. */
export function onceResponded(connection: Connection, listener: (status: number) => void): void {
  let text = ''
  let isDone = false
  connection.onData((bytes) => {
    if (isDone) return
    text += bytes.toString('latin1')
    if (!text.includes('\r\n\r\n')) return
    isDone = true
    listener(Number(text.slice(9, 12)))
  })
}
