import { expect, it } from 'vitest'
import { csvLine } from './csv.ts'

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
])('puts a quote before %j, which a spreadsheet takes for a formula', (text) => {
  expect(csvLine([text])).toBe(`'${text}\r\n`)
})

it.each(['a=1', 'node 1', '', '1+1'])('leaves %j as it is', (text) => {
  expect(csvLine([text])).toBe(`${text}\r\n`)
})
