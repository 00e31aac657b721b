import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { plainHead, rpcHead, streamedWithHead } from './envelope.ts'

/** Random numbers that are the same in every run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const random = randomNumbers(20_251_121)
const oneOf = <T>(...choices: readonly T[]): T => choices[random(choices.length)] as T
const space = () => oneOf('', '', ' ', '\n', '\t  ', '\r\n')

/** Nested JSON that contains envelopes and text that looks like parts of an envelope. */
function value(depth: number): string {
  if (depth === 0 || random(4) === 0) {
    return oneOf(
      '1',
      'null',
      '"é€😀"',
      String.raw`",\"id\":\"1\"}"`,
      '","',
      '"}"',
      JSON.stringify('x'.repeat(random(600))),
    )
  }
  const some = Array.from({ length: random(4) }, () => value(depth - 1))
  if (random(2) === 0) return `[${some.join(`${space()},`)}]`
  const keys = ['"id"', '"jsonrpc"', '"result"', '"ok"']
  return `{${some.map((one, index) => `${space()}${keys[index]}:${space()}${one}`).join(',')}${space()}}`
}

/** An upstream response, and the same without the members of the envelope. */
function answer(): { readonly whole: string; readonly members: readonly string[] } {
  const members = ['"ok":true', `"result"${space()}:${space()}${value(4)}`]
  if (random(2) === 0) members.push(`"@extra":${value(0)}`)
  const own = oneOf([], ['"jsonrpc":"2.0"', `"id"${space()}:${space()}${oneOf('"1"', '1', 'null', '""')}`])
  const ordered = oneOf([...own, ...members], [...members, ...own], [...members, ...own.toReversed()])
  const written = ordered.join(`${space()},${space()}`)
  return { whole: `${space()}{${space()}${written}${space()}}${space()}`, members }
}

/** Splits the bytes into random chunks. */
function inPieces(bytes: Buffer): Buffer[] {
  const longest = oneOf(1, 7, 256, 257, 1_000, 100_000)
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random(longest)
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

const bodyOf = (pieces: readonly Buffer[]) =>
  Object.assign(Readable.from(pieces), { dump: () => Promise.resolve() })

const spliced = (pieces: readonly Buffer[], head: string) => text(streamedWithHead(bodyOf(pieces), head))

describe('the head of a streamed answer', () => {
  it('takes the place of the one of the node, wherever it is cut and whatever is inside', async () => {
    for (let round = 0; round < 500; round++) {
      const { whole, members } = answer()
      const pieces = inPieces(Buffer.from(whole))
      const id = oneOf<unknown>(1, 'a', 'é"', ' '.repeat(300))
      const result = JSON.parse(`{${members.join(',')}}`) as object
      const answered = await spliced(pieces, rpcHead(JSON.stringify(id)))
      expect(JSON.parse(answered), whole).toEqual({ jsonrpc: '2.0', id, ...result })
      expect(JSON.parse(await spliced(pieces, plainHead)), whole).toEqual(result)
    }
  })

  it('may be long without taking long', async () => {
    const id = ' '.repeat(300_000)
    const answered = await spliced([Buffer.from('{"ok":true,"result":"5"}')], rpcHead(JSON.stringify(id)))
    expect(JSON.parse(answered)).toEqual({ jsonrpc: '2.0', id, ok: true, result: '5' })
  })

  it.each([
    ['nothing', ''],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['half of one', '{"ok":true,"result":"'],
    ['half of a long one', `{"ok":true,"result":"${'x'.repeat(2_000)}`],
    ['one that is compressed', '\u001f\u008b'],
  ])('is given to nothing but a whole object: %s', async (_, body) => {
    await expect(spliced([Buffer.from(body)], plainHead)).rejects.toMatchObject({ status: 502 })
  })
})
