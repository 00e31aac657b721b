import { expect, test } from 'vitest'
import { CompleteEvents } from './complete-events.ts'

const head = (end: string) => `event: head${end}data: {"slot":"1","note":"é€😀"}${end}${end}`

/** Splits a stream into the given pieces and returns the output for each piece. */
function taken(pieces: readonly Buffer[]): (string | undefined)[] {
  const whole = new CompleteEvents()
  return pieces.map((piece) => whole.take(piece)?.toString('latin1'))
}

function piecesOf(bytes: Buffer, length: number): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += length) pieces.push(bytes.subarray(at, at + length))
  return pieces
}

test.each([
  ['LF', '\n'],
  ['CR LF', '\r\n'],
  ['CR', '\r'],
])('events with %s as line end come out whole, however they were cut', (_, end) => {
  const events = Array.from({ length: 5 }, () => head(end)).join('')
  const comment = `: é${end}${end}`
  const bytes = Buffer.from(`${comment}${events}${comment}`)
  for (let length = 1; length <= bytes.length; length++) {
    const outs = taken(piecesOf(bytes, length)).filter((out) => out !== undefined)
    expect(outs.join('')).toBe(bytes.toString('latin1').slice(0, outs.join('').length))
    // Only the second half of the last line ending may still be pending.
    expect(bytes.length - outs.join('').length).toBeLessThanOrEqual(end === '\r\n' ? 1 : 0)
    for (const out of outs) expect(out).toMatch(/(?:\n\n|\r\n\r\n?|\r\r)$/)
  }
})

test('line ends of all kinds may follow each other', () => {
  for (const blank of ['\n\n', '\r\r', '\r\n\r\n', '\n\r\n', '\r\n\n', '\n\r', '\r\r\n']) {
    expect(taken([Buffer.from(`data: 1${blank}data: 2\n`)])).toEqual([`data: 1${blank}`])
  }
})

test('a line end that is cut is one line end', () => {
  expect(taken(['data: 1\r', '\ndata: 2', '\n\n'].map((text) => Buffer.from(text)))).toEqual([
    undefined,
    undefined,
    'data: 1\r\ndata: 2\n\n',
  ])
})

test('several events of one piece come out at once, and what is not whole waits', () => {
  const pieces = ['data: 1\n\ndata: 2\n\ndata: ', '3\n', '\n'].map((text) => Buffer.from(text))
  expect(taken(pieces)).toEqual(['data: 1\n\ndata: 2\n\n', undefined, 'data: 3\n\n'])
})

test('whole events are not copied', () => {
  const piece = Buffer.from('data: 1\n\n')
  expect(new CompleteEvents().take(piece)?.buffer).toBe(piece.buffer)
})

test('an event without an end is refused', () => {
  const whole = new CompleteEvents()
  const piece = Buffer.alloc(1_048_576, 'x')
  for (let i = 0; i < 16; i++) whole.take(piece)
  expect(() => whole.take(piece)).toThrow('An event of the node has no end.')
})

test('random bytes come out as they came in, cut at random', () => {
  let seed = 42
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  const alphabet = ['\n', '\r', 'x', ':', 'é']
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: random(60) }, () => alphabet[random(alphabet.length)]).join('')
    const bytes = Buffer.from(`${text}z\n\n`)
    const pieces: Buffer[] = []
    for (let at = 0; at < bytes.length;) {
      const length = 1 + random(9)
      pieces.push(bytes.subarray(at, at + length))
      at += length
    }
    expect(taken(pieces).join('')).toBe(bytes.toString('latin1'))
  }
})
