import { describe, expect, it } from 'vitest'
import type { ResponseHead } from './response-head.ts'
import { ResponseReader } from './response-reader.ts'

/** Parses bytes that arrive in these pieces, and returns the responses in order. */
function readAll(pieces: readonly string[], isForHead = false) {
  const responses: { head: ResponseHead; body: string; hasEnded: boolean }[] = []
  const reader = new ResponseReader()
  const receiver = {
    isForHead,
    onHead: (head: ResponseHead) => void responses.push({ head, body: '', hasEnded: false }),
    onData: (bytes: Buffer) => {
      const last = responses.at(-1)
      if (last) last.body += bytes.toString('latin1')
    },
    onFullResponse: (head: ResponseHead, body: string) =>
      void responses.push({ head, body, hasEnded: false }),
    onEnd: () => {
      const last = responses.at(-1)
      if (last) last.hasEnded = true
    },
  }
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, 'latin1')
    for (let at = 0; at < bytes.length;) at = reader.read(bytes, at, receiver)
  }
  return {
    responses: responses.map(({ head, body, hasEnded }) => ({ status: head.status, body, hasEnded })),
    finish: () => {
      reader.finish(reader.isInResponse ? receiver : undefined)
      return responses.every(({ hasEnded }) => hasEnded)
    },
  }
}

const ok = 'HTTP/1.1 200 OK\r\n'
const completeResponses: readonly (readonly [name: string, text: string, body: string])[] = [
  ['a length', `${ok}Content-Length: 5\r\n\r\nhello`, 'hello'],
  ['a length said twice', `${ok}content-length: 5\r\nContent-Length:5, 5 \r\n\r\nhello`, 'hello'],
  ['an empty body', `${ok}content-length: 0\r\n\r\n`, ''],
  ['no reason', 'HTTP/1.1 200\r\ncontent-length: 2\r\n\r\n{}', '{}'],
  ['an empty reason', 'HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\n{}', '{}'],
  ['bytes beyond ASCII', `${ok}x: \xe9\r\ncontent-length: 2\r\n\r\n\xe9\xff`, '\xe9\xff'],
  ['blanks around a value', `${ok}content-length: \t 2 \t\r\n\r\n{}`, '{}'],
  ['chunks', `${ok}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`, 'abcde'],
  ['chunks in capitals', `${ok}Transfer-Encoding: Chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n`, '0123456789'],
  ['chunks with line ends', `${ok}transfer-encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n`, '\r\n\r\n'],
  ['extensions', `${ok}transfer-encoding: chunked\r\n\r\n1;a=b;c="d"\r\nx\r\n0 ;z\r\n\r\n`, 'x'],
  ['trailers', `${ok}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\na: b\r\nc: d\r\n\r\n`, 'x'],
  ['an interim answer before it', `HTTP/1.1 100 Continue\r\n\r\n${ok}content-length: 1\r\n\r\nx`, 'x'],
  [
    'several interim answers',
    `HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 102 P\r\n\r\n${ok}content-length: 1\r\n\r\nx`,
    'x',
  ],
]

describe('a response', () => {
  it.each(completeResponses)('with %s is parsed regardless of the chunk boundaries', (_, text, body) => {
    const response = { status: 200, body, hasEnded: true }
    expect(readAll([text]).responses).toEqual([response])
    expect(readAll(text.split('')).responses).toEqual([response])
    for (let at = 1; at < text.length; at++) {
      expect(readAll([text.slice(0, at), text.slice(at)]).responses).toEqual([response])
    }
  })

  it('ends where the next one begins', () => {
    const text = completeResponses.map(([, response]) => response).join('')
    const responses = completeResponses.map(([, , body]) => ({ status: 200, body, hasEnded: true }))
    expect(readAll([text]).responses).toEqual(responses)
    for (let size = 1; size < 40; size++) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.slice(index * size, (index + 1) * size),
      )
      expect(readAll(pieces).responses).toEqual(responses)
    }
  })

  it('is the same with a cached head', () => {
    const long = `${ok}x: ${'y'.repeat(2_000)}\r\ncontent-length: 4\r\n\r\n`
    const heads = Array.from({ length: 20 }, (_, at) => `${ok}x: ${at}\r\ncontent-length: 4\r\n\r\n`)
    const order = [0, 0, 0, 1, 0, 1, 1, ...heads.keys(), ...heads.keys(), 0, 0]
    const bodies = order.map((_, at) => `{${String(at).padStart(2, '0')}}`)
    const text = order.map((head, at) => `${heads[head]}${bodies[at]}`).join('') + `${long}aaaa${long}bbbb`
    const responses = [...bodies, 'aaaa', 'bbbb'].map((body) => ({ status: 200, body, hasEnded: true }))
    expect(readAll([text]).responses).toEqual(responses)
    for (const size of [1, 7, 50, 60, 400, 5_000]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size),
      )
      expect(readAll(pieces).responses).toEqual(responses)
    }
  })

  it.each([
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', false],
    ['304', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 500\r\n\r\n', false],
    ['HEAD', `${ok}content-length: 500\r\n\r\n`, true],
    ['HEAD, in chunks', `${ok}transfer-encoding: chunked\r\n\r\n`, true],
  ])('to %s has no body', (_, text, isForHead) => {
    const { responses } = readAll([text + text], isForHead)
    expect(responses).toHaveLength(2)
    expect(responses.every(({ body, hasEnded }) => body === '' && hasEnded)).toBe(true)
  })

  it('without a length ends with the connection', () => {
    const { responses, finish } = readAll([`${ok}\r\n`, 'all ', 'of it'])
    expect(responses).toEqual([{ status: 200, body: 'all of it', hasEnded: false }])
    expect(finish()).toBe(true)
  })

  it.each(completeResponses.map(([name, text]) => [name, text] as const))(
    'with %s is not complete before its end',
    (_, text) => {
      for (let at = 1; at < text.length; at++)
        expect(readAll([text.slice(0, at)]).finish).toThrow('before its response')
    },
  )

  it('reports whether the connection is persistent', () => {
    const isPersistent = (text: string) => {
      let persistent: boolean | undefined
      const onHead = (head: ResponseHead) => (persistent = head.isPersistent)
      const noop = () => undefined
      const receiver = { isForHead: false, onHead, onData: noop, onFullResponse: noop, onEnd: noop }
      new ResponseReader().read(Buffer.from(text), 0, receiver)
      return persistent
    }
    const end = 'content-length: 0\r\n\r\n'
    expect(isPersistent(`${ok}${end}`)).toBe(true)
    expect(isPersistent(`${ok}Connection: Close\r\n${end}`)).toBe(false)
    expect(isPersistent(`${ok}Connection: foo\r\nConnection: bar , close\r\n${end}`)).toBe(false)
    expect(isPersistent(`HTTP/1.0 200 OK\r\n${end}`)).toBe(false)
    expect(isPersistent(`HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n${end}`)).toBe(true)
  })
})

describe('a malformed response', () => {
  const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`
  it.each([
    ['another protocol', 'SSH-2.0-x\r\n\r\n'],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['no version', 'HTTP/1 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status that is none', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['a status beyond all', 'HTTP/1.1 600 OK\r\n\r\n'],
    ['a blank before the status line', ' HTTP/1.1 200 OK\r\n\r\n'],
    ['an empty line before the status line', '\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ['a change of protocols', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['bare line feeds', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n\r\n\r\n'],
    ['a bare line feed within a value', `${ok}a: b\nc: d\r\n\r\n`],
    ['a bare carriage return within a value', `${ok}a: b\rc: d\r\n\r\n`],
    ['NUL within a value', `${ok}a: b\0c\r\n\r\n`],
    ['DEL within a value', `${ok}a: b\x7fc\r\n\r\n`],
    ['a continued line', `${ok}a: b\r\n c\r\n\r\n`],
    ['a line that continues the status', `${ok} a: b\r\n\r\n`],
    ['a blank before the colon', `${ok}content-length : 0\r\n\r\n`],
    ['a field without a name', `${ok}: b\r\n\r\n`],
    ['a field without a colon', `${ok}a\r\n\r\n`],
    ['a name that is none', `${ok}a(b): c\r\n\r\n`],
    ['a name beyond ASCII', `${ok}\xe9: c\r\n\r\n`],
    ['two lengths', `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\n`],
    ['two lengths in a list', `${ok}content-length: 1, 2\r\n\r\n`],
    ['an open list of lengths', `${ok}content-length: 1,\r\n\r\n`],
    ['a length with a sign', `${ok}content-length: +1\r\n\r\n`],
    ['a negative length', `${ok}content-length: -1\r\n\r\n`],
    ['a hexadecimal length', `${ok}content-length: 0x1\r\n\r\n`],
    ['a fraction for a length', `${ok}content-length: 1.0\r\n\r\n`],
    ['an empty length', `${ok}content-length:\r\n\r\n`],
    ['a length beyond all', `${ok}content-length: 9999999999999999\r\n\r\n`],
    ['length and chunks', `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['chunks and length', `${ok}transfer-encoding: chunked\r\ncontent-length: 1\r\n\r\n`],
    ['another encoding', `${ok}transfer-encoding: gzip\r\n\r\n`],
    ['two encodings', `${ok}transfer-encoding: gzip, chunked\r\n\r\n`],
    ['chunks twice', `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['an empty encoding', `${ok}transfer-encoding:\r\n\r\n`],
    ['chunks in an old version', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['a chunk without a size', `${chunked}\r\n`],
    ['a chunk with another size', `${chunked}xyz\r\n`],
    ['a chunk size with a prefix', `${chunked}0x5\r\nhello\r\n`],
    ['a negative chunk', `${chunked}-1\r\n`],
    ['a chunk beyond all', `${chunked}fffffffffffff\r\n`],
    ['a bare line feed behind a size', `${chunked}5\nhello\r\n`],
    ['a chunk that is longer than it says', `${chunked}4\r\nhello\r\n`],
    ['an extension with a control character', `${chunked}5;a=\0\r\nhello\r\n`],
    ['a trailer that is none', `${chunked}0\r\na b: c\r\n\r\n`],
    ['a line of a chunk that never ends', `${chunked}5;${'x'.repeat(5_000)}`],
    ['too many fields', `${ok}${'a: b\r\n'.repeat(257)}\r\n`],
    ['a head that is too long', `${ok}a: ${'x'.repeat(65_536)}\r\n\r\n`],
    ['a head that never ends', `${ok}a: ${'x'.repeat(70_000)}`],
    ['endless interim responses', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(17)],
  ])('as %s is rejected regardless of the chunk boundaries', (_, text) => {
    expect(() => readAll([text])).toThrow('not valid HTTP/1.1')
    const pieces = text.length < 500 ? text.split('') : (text.match(/[^]{1,999}/g) ?? [])
    expect(() => readAll(pieces)).toThrow('not valid HTTP/1.1')
  })

  it('accepts the longest head and the most fields', () => {
    const line = `${ok}content-length: 0\r\na: `
    const long = `${line}${'x'.repeat(65_536 - line.length - 4)}\r\n\r\n`
    const many = `${ok}content-length: 0\r\n${'a: b\r\n'.repeat(255)}\r\n`
    for (const text of [long, many]) {
      expect(readAll([text]).responses).toHaveLength(1)
      expect(readAll([text.slice(0, 700), text.slice(700)]).responses).toHaveLength(1)
    }
  })
})
