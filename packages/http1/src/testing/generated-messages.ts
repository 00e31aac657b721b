/** Returns a number below a limit. The same seed produces the same sequence. */
export type Draw = (limit: number) => number

/** Creates a pseudo-random number generator (mulberry32). */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

// Lines that servers are known to parse in different ways.
const trickyLines = [
  'Transfer-Encoding: chunked',
  'transfer-encoding: Chunked',
  'Transfer-Encoding:chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding: \u000bchunked',
  'Transfer-Encoding: chunked\t',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding:',
  'X: x\nTransfer-Encoding: chunked',
  'X: x\rTransfer-Encoding: chunked',
  'Transfer-Encoding\n : chunked',
  'Transfer-Encoding:\r\n chunked',
  'Trans\0fer-Encoding: chunked',
  'Content-Length: 3',
  'content-length: 0',
  'Content-Length: +3',
  'Content-Length: -3',
  'Content-Length: 03',
  'Content-Length: 0x3',
  'Content-Length: 3, 3',
  'Content-Length: 3 3',
  'Content-Length:  3',
  'Content-Length:3',
  'Content-Length: 3 ',
  'Content-Length:\t3',
  'Content-Length : 3',
  'Content-Length: 3;',
  'Content-Length: 3e1',
  'Content-Length: ٣',
  'Content-Length: 99999999999999999999',
  'Content-Length: 18446744073709551619',
  'Content-Length: 70000',
  'Content-Length:',
  'Content_Length: 3',
  ' Content-Length: 3',
  '\tContent-Length: 3',
  'X: a\r\n b',
  'X: a\r\n\tContent-Length: 3',
  'Accept: a\r\n',
  'Accept: \0',
  'Accept: \u007f',
  'Accept: \u0080\u00ff',
  'Accept: a\tb',
  'Accept:',
  ': x',
  'Accept',
  'Acc ept: x',
  'Accept: x\n',
  'Accept: x\r',
  'Host: y',
  'host: other',
  'Host: a b',
  'Connection: close',
  'Connection: keep-alive, close',
  'Connection: Keep-Alive',
  'Connection: upgrade',
  'Connection: content-length',
  'Proxy-Connection: close',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'Expect: 100-continue',
  'Expect: x',
  'Trailer: content-length',
  'TE: trailers',
  'Keep-Alive: timeout=1',
  'Content-Encoding: gzip',
  `Accept: ${'x'.repeat(9_000)}`,
  `User-Agent: ${'x'.repeat(7_000)}`,
  'Origin: https://app.example',
  'Access-Control-Request-Method: POST',
  'Access-Control-Request-Headers: content-type, x-request-id',
  'X-Forwarded-For: 10.0.0.1',
  'Content-Type: application/grpc-web',
  '__proto__: x',
  'constructor: x',
] as const

const requestLines = [
  'POST /token HTTP/1.1',
  'POST /token/evm HTTP/1.1',
  'POST / HTTP/1.1',
  'POST /evm HTTP/1.1',
  'POST /token HTTP/1.0',
  'POST /token HTTP/1.2',
  'POST /token HTTP/2.0',
  'POST /token HTTP/0.9',
  'POST /token',
  'POST  /token HTTP/1.1',
  'POST /token  HTTP/1.1',
  'POST /token HTTP/1.1 ',
  'POST\t/token HTTP/1.1',
  'post /token HTTP/1.1',
  'GET /token HTTP/1.1',
  'HEAD /token HTTP/1.1',
  'OPTIONS /token HTTP/1.1',
  'OPTIONS /token/evm HTTP/1.1',
  'OPTIONS / HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'CONNECT token:80 HTTP/1.1',
  'PRI * HTTP/2.0',
  'POST http://x/token HTTP/1.1',
  'POST * HTTP/1.1',
  'POST /token?a=b HTTP/1.1',
  'POST /token#a HTTP/1.1',
  'POST /to%20ken HTTP/1.1',
  'POST /tok\u0080en HTTP/1.1',
  'POST /ws HTTP/1.1',
  'POST /v1/organization/ HTTP/1.1',
  'POST /token HTTP/1.1\nX: y',
  '\r\nPOST /token HTTP/1.1',
  '\nPOST /token HTTP/1.1',
  'POST /token HTTP/1.1\r',
] as const

const bodies = [
  '',
  '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
  'POST /inner HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n',
  '0\r\n\r\nPOST /inner HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n',
  '3\r\nabc\r\n0\r\n\r\n',
  '3;x=y\r\nabc\r\n0\r\nTrailer: x\r\n\r\n',
  '03\r\nabc\r\n0\r\n\r\n',
  '3\nabc\n0\n\n',
  '0x3\r\nabc\r\n0\r\n\r\n',
  '\r\n\r\n\r\n',
  'ab\0\r\n',
] as const

const ends = ['\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\r\r\n', '\r\n\r\n'] as const

const signs = '\r\n\0\t :;,+-0123456789abcfxPOSTH/.%"\u0001\u007f\u0080\u00ff'

/** Generates the bytes of one client connection: ordinary requests, other requests, and invalid data. */
export function generatedStream(draw: Draw): Buffer {
  let text = ''
  for (let count = draw(3) + 1; count > 0; count--) text += message(draw)
  // Half of the messages are changed in a few places.
  for (let changes = draw(2) * draw(4); changes > 0; changes--) text = changed(text, draw)
  return Buffer.from(text, 'latin1')
}

/** Splits a stream into the pieces in which it arrives, sometimes into single bytes. */
export function piecesOf(stream: Buffer, draw: Draw): Buffer[] {
  const form = draw(16)
  if (form < 6) return [stream]
  const pieces: Buffer[] = []
  for (let start = 0; start < stream.length;) {
    const length = form === 15 && stream.length < 600 ? 1 : draw(form < 12 ? stream.length : 64) + 1
    pieces.push(stream.subarray(start, start + length))
    start += length
  }
  return pieces
}

/**
 * A whole message four times, the third time with one changed byte. It tests what a reader has cached from earlier
 * messages.
 */
export function repeatedMessage(draw: Draw): Buffer[] {
  const original = Buffer.from(message(draw), 'latin1')
  const altered = Buffer.from(original)
  altered.writeUInt8(draw(0x60) + 0x20, draw(altered.length))
  return [original, original, altered, original]
}

function message(draw: Draw): string {
  const isTricky = draw(3) === 0
  const body = pick(bodies, draw)
  const first = isTricky && draw(3) === 0 ? pick(requestLines, draw) : requestLines[draw(4)]
  const length = isTricky && draw(6) === 0 ? draw(80) : body.length
  const lines = ['Host: gateway.example:8645', 'Content-Type: application/json', `Content-Length: ${length}`]
  if (draw(3) === 0) lines.push('User-Agent: a/1', 'Accept: */*', 'Connection: keep-alive')
  if (isTricky) {
    for (let count = draw(3); count > 0; count--) {
      const line = pick(trickyLines, draw)
      const index = draw(lines.length + 1)
      lines.splice(index, draw(3) === 0 ? 1 : 0, line)
    }
  }
  const end = () => (isTricky && draw(8) === 0 ? pick(ends, draw) : '\r\n')
  return [first, ...lines].reduce((text, line) => `${text}${line}${end()}`, '') + end() + body
}

function changed(text: string, draw: Draw): string {
  const at = draw(text.length + 1)
  const sign = signs.charAt(draw(signs.length))
  switch (draw(4)) {
    case 0:
      return text.slice(0, at) + sign + text.slice(at)
    case 1:
      return text.slice(0, at) + text.slice(at + 1)
    case 2:
      return text.slice(0, at) + sign + text.slice(at + 1)
    default:
      return text.slice(0, at) + text.slice(draw(text.length + 1))
  }
}

function pick<item>(items: readonly item[], draw: Draw): item {
  return items[draw(items.length)] as item
}
