import { connect } from 'node:net'

/** Bytes that are invalid HTTP, with the status that the connection returns before it ends. */
export interface MalformedTransfer {
  readonly name: string
  readonly text: string
  /** Several if the status depends on how far the parser got. 0 means a close without a response. */
  readonly statuses: readonly number[]
}

const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
const head = (path: string, ...headers: readonly string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', ''].join('\r\n')
const length = `Content-Length: ${body.length}`
const chunked = 'Transfer-Encoding: chunked'

/**
 * Requests with malformed bytes.
 *
 * @param path - path of a node with its token
 */
export function malformedTransfers(path: string): readonly MalformedTransfer[] {
  return [
    { name: 'text that is not HTTP', text: 'hello\r\n\r\n', statuses: [400] },
    { name: 'a TLS ClientHello', text: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc', statuses: [400] },
    { name: 'an unknown HTTP method', text: `BREW ${path} HTTP/1.1\r\n\r\n`, statuses: [400] },
    {
      name: 'a missing Host field',
      text: `POST ${path} HTTP/1.1\r\n${length}\r\n\r\n${body}`,
      statuses: [400],
    },
    { name: 'an invalid length', text: head(path, 'Content-Length: ten') + body, statuses: [400] },
    { name: 'a negative length', text: head(path, 'Content-Length: -5') + body, statuses: [400] },
    { name: 'two different lengths', text: head(path, length, 'Content-Length: 5') + body, statuses: [400] },
    { name: 'a length and chunks', text: `${head(path, length, chunked)}0\r\n\r\n`, statuses: [400] },
    { name: 'an invalid chunk size', text: `${head(path, chunked)}zzz\r\n${body}\r\n`, statuses: [400, 0] },
    {
      name: 'a chunk longer than its size',
      text: `${head(path, chunked)}5\r\n${body}\r\n0\r\n\r\n`,
      statuses: [400, 0],
    },
    {
      name: 'an unknown transfer coding',
      text: head(path, 'Transfer-Encoding: gzip', length) + body,
      statuses: [400],
    },
    { name: 'a header with a line break', text: head(path, 'X-A: b\nc', length) + body, statuses: [400] },
    {
      name: 'unterminated headers',
      text: head(path, `X-A: ${'a'.repeat(100_000)}`, length) + body,
      statuses: [431],
    },
    {
      name: 'a body shorter than its length',
      text: `${head(path, 'Content-Length: 500')}${body}`,
      statuses: [400, 0],
    },
    {
      name: 'a body longer than its length',
      text: `${head(path, 'Content-Length: 5')}${body}`,
      statuses: [400, 200],
    },
    {
      name: 'a length above the limit',
      text: head(path, 'Content-Length: 99999999999') + body,
      statuses: [413],
    },
    { name: 'a missing length', text: head(path) + body, statuses: [400, 200] },
  ]
}

/** Sends raw bytes, ends the sending side, and returns the response once the connection has ended. */
export function sendBytes({ hostname, port }: URL, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.end(Buffer.from(text, 'latin1')))
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
  })
}
