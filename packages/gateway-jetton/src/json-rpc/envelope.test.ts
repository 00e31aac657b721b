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
  return `{${some.map((item, index) => `${space()}${keys[index]}:${space()}${item}`).join(',')}${space()}}`
}

/** An upstream response, and the same without the members of the envelope. */
function upstreamResponse(): { readonly text: string; readonly members: readonly string[] } {
  const members = ['"ok":true', `"result"${space()}:${space()}${value(4)}`]
  if (random(2) === 0) members.push(`"@extra":${value(0)}`)
  const envelope = oneOf(
    [],
    ['"jsonrpc":"2.0"', `"id"${space()}:${space()}${oneOf('"1"', '1', 'null', '""')}`],
  )
  const ordered = oneOf(
    [...envelope, ...members],
    [...members, ...envelope],
    [...members, ...envelope.toReversed()],
  )
  const content = ordered.join(`${space()},${space()}`)
  return { text: `${space()}{${space()}${content}${space()}}${space()}`, members }
}

/** Splits the bytes into random chunks. */
function randomChunks(bytes: Buffer): Buffer[] {
  const maxSize = oneOf(1, 7, 256, 257, 1_000, 100_000)
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random(maxSize)
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

const bodyOf = (chunks: readonly Buffer[]) =>
  Object.assign(Readable.from(chunks), { dump: () => Promise.resolve() })

const spliced = (chunks: readonly Buffer[], head: string) => text(streamedWithHead(bodyOf(chunks), head))

describe('the head of a streamed response', () => {
  it('replaces the head of the upstream response for any chunk boundaries and content', async () => {
    for (let round = 0; round < 500; round++) {
      const { text: content, members } = upstreamResponse()
      const chunks = randomChunks(Buffer.from(content))
      const id = oneOf<unknown>(1, 'a', 'é"', ' '.repeat(300))
      const result = JSON.parse(`{${members.join(',')}}`) as object
      const output = await spliced(chunks, rpcHead(JSON.stringify(id)))
      expect(JSON.parse(output), content).toEqual({ jsonrpc: '2.0', id, ...result })
      expect(JSON.parse(await spliced(chunks, plainHead)), content).toEqual(result)
    }
  })

  it('can be long without slowing down the search', async () => {
    const id = ' '.repeat(300_000)
    const output = await spliced([Buffer.from('{"ok":true,"result":"5"}')], rpcHead(JSON.stringify(id)))
    expect(JSON.parse(output)).toEqual({ jsonrpc: '2.0', id, ok: true, result: '5' })
  })

  it.each([
    ['nothing', ''],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['a truncated object', '{"ok":true,"result":"'],
    ['a long truncated object', `{"ok":true,"result":"${'x'.repeat(2_000)}`],
    ['compressed data', '\u001f\u008b'],
  ])('is added only to a complete object: %s', async (_, body) => {
    await expect(spliced([Buffer.from(body)], plainHead)).rejects.toMatchObject({ status: 502 })
  })
})
