import { expect, test } from 'vitest'
import { CompleteEvents } from './complete-events.ts'

const head = (end: string) => `event: head${end}data: {"slot":"1","note":"é€😀"}${end}${end}`

/** Splits a stream into the given pieces and returns the output for each piece. */
function split(chunks: readonly Buffer[]): (string | undefined)[] {
  const splitter = new CompleteEvents()
  return chunks.map((chunk) => splitter.push(chunk)?.toString('latin1'))
}

function chunksOf(bytes: Buffer, length: number): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += length) chunks.push(bytes.subarray(at, at + length))
  return chunks
}

test.each([
  ['LF', '\n'],
  ['CR LF', '\r\n'],
  ['CR', '\r'],
])('outputs complete events with %s line endings for any chunk size', (_, end) => {
  const events = Array.from({ length: 5 }, () => head(end)).join('')
  const comment = `: é${end}${end}`
  const bytes = Buffer.from(`${comment}${events}${comment}`)
  for (let length = 1; length <= bytes.length; length++) {
    const outputs = split(chunksOf(bytes, length)).filter((output) => output !== undefined)
    expect(outputs.join('')).toBe(bytes.toString('latin1').slice(0, outputs.join('').length))
    // Only the second half of the last line ending may still be pending.
    expect(bytes.length - outputs.join('').length).toBeLessThanOrEqual(end === '\r\n' ? 1 : 0)
    for (const output of outputs) expect(output).toMatch(/(?:\n\n|\r\n\r\n?|\r\r)$/)
  }
})

test('accepts mixed line endings', () => {
  for (const blank of ['\n\n', '\r\r', '\r\n\r\n', '\n\r\n', '\r\n\n', '\n\r', '\r\r\n']) {
    expect(split([Buffer.from(`data: 1${blank}data: 2\n`)])).toEqual([`data: 1${blank}`])
  }
})

test('a CRLF that is split across chunks counts as one line ending', () => {
  expect(split(['data: 1\r', '\ndata: 2', '\n\n'].map((text) => Buffer.from(text)))).toEqual([
    undefined,
    undefined,
    'data: 1\r\ndata: 2\n\n',
  ])
})

test('outputs all complete events of a chunk at once and buffers the rest', () => {
  const chunks = ['data: 1\n\ndata: 2\n\ndata: ', '3\n', '\n'].map((text) => Buffer.from(text))
  expect(split(chunks)).toEqual(['data: 1\n\ndata: 2\n\n', undefined, 'data: 3\n\n'])
})

test('complete events are not copied', () => {
  const chunk = Buffer.from('data: 1\n\n')
  expect(new CompleteEvents().push(chunk)?.buffer).toBe(chunk.buffer)
})

test('rejects an event without an end', () => {
  const splitter = new CompleteEvents()
  const chunk = Buffer.alloc(1_048_576, 'x')
  for (let i = 0; i < 16; i++) splitter.push(chunk)
  expect(() => splitter.push(chunk)).toThrow('An event of the upstream is too long.')
})

test('random bytes in random chunks pass unchanged', () => {
  let seed = 42
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  const alphabet = ['\n', '\r', 'x', ':', 'é']
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: random(60) }, () => alphabet[random(alphabet.length)]).join('')
    const bytes = Buffer.from(`${text}z\n\n`)
    const chunks: Buffer[] = []
    for (let at = 0; at < bytes.length;) {
      const length = 1 + random(9)
      chunks.push(bytes.subarray(at, at + length))
      at += length
    }
    expect(split(chunks).join('')).toBe(bytes.toString('latin1'))
  }
})
