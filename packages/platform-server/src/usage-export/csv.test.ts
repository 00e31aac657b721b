import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { createCsvStream } from './csv.ts'

type Cell = string | number | null

async function lineOf(cells: readonly Cell[]): Promise<string> {
  const columns = cells.map((_, index) => `c${index}`)
  const row = Object.fromEntries(columns.map((name, index) => [name, cells[index]]))
  const csv = await text(Readable.from([row]).pipe(createCsvStream(columns)))
  const header = `${columns.join(',')}\r\n`
  expect(csv.slice(0, header.length)).toBe(header)
  return csv.slice(header.length)
}

it.each([
  [['a', 1, null, ''], 'a,1,,\r\n'],
  [['a,b', 'say "x"', 'two\nlines'], '"a,b","say ""x""","two\nlines"\r\n'],
  [['=1', '+1', '-1', '@a', '\ta', '\ra', '\na'], `'=1,'+1,'-1,'@a,'\ta,"'\ra","'\na"\r\n`],
  [[-1, 1e15], '-1,1000000000000000\r\n'],
])('writes %j', async (cells: readonly Cell[], line) => {
  expect(await lineOf(cells)).toBe(line)
})

it.each([
  '=1+1',
  '+1',
  '-1',
  '@x',
  '\t=1',
  '\uFF1D1+1',
  '\uFF0B1',
  '\uFF0D1',
  '\uFF20x',
  ' =1+1',
  '\u3000=1',
  '\u22121',
])('puts a quote before %j, which a spreadsheet treats as a formula', async (cell) => {
  expect(await lineOf([cell])).toBe(`'${cell}\r\n`)
})

it.each(['a=1', 'node 1', '', '1+1'])('leaves %j unchanged', async (cell) => {
  expect(await lineOf([cell, 1])).toBe(`${cell},1\r\n`)
})

it('has a header line without records', async () => {
  expect(await text(Readable.from([]).pipe(createCsvStream(['a', 'b'])))).toBe('a,b\r\n')
})
