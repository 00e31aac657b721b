import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { linesOf } from './lines.ts'

async function* chunksOf(...chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

function read(...[chunks, maxBytes]: Parameters<typeof linesOf>): Promise<unknown[]> {
  return Readable.from(linesOf(chunks, maxBytes)).toArray()
}

it('splits text at line feeds only, wherever its chunks begin', async () => {
  const lines = ['a\u2028b\u2029c\r\u0085', '', '\uFEFF😀', 'last']
  const bytes = Buffer.from(lines.join('\n'))
  for (const size of [1, 2, 3, bytes.length]) {
    const count = Math.ceil(bytes.length / size)
    const chunks = Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
    expect(await read(chunksOf(...chunks))).toEqual(lines)
  }
  expect(await read(chunksOf('a\n'))).toEqual(['a'])
})

it.each([
  ['in one chunk', ['12345\n']],
  ['in several chunks', ['12', '345']],
])('rejects a line over the limit %s', async (_, chunks) => {
  await expect(read(chunksOf(...chunks), 4)).rejects.toMatchObject({
    code: 'STORE_INVALID',
    message: expect.stringContaining('more than 4 bytes'),
  })
  expect(await read(chunksOf('1234\n', '12', '34'), 4)).toEqual(['1234', '1234'])
})

it('rejects bytes that are not UTF-8', async () => {
  const invalid = chunksOf(Uint8Array.of(0xff, 0x0a))
  await expect(read(invalid)).rejects.toThrow('not UTF-8')
})
