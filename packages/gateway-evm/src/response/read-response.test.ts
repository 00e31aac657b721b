import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { tryPassThrough } from './read-response.ts'
import type { UpstreamResponse } from './upstream-response.ts'

function buffered(text: string | undefined): UpstreamResponse {
  const latin1 = text === undefined ? undefined : Buffer.from(text).toString('latin1')
  const body = Object.assign(Readable.from([]), { dump: async () => undefined })
  return { latin1, body, contentLength: undefined, delimited: true }
}

const result = '{"jsonrpc":"2.0","id":7,"result":"0x1"}'

it.each([
  ['a result', result, '7'],
  ['one between white space', ` ${result.replaceAll(',', ' ,\n')}\n`, '7'],
  ['null', '{"jsonrpc":"2.0","id":7,"result":null}', '7'],
  ['one under an id of letters', '{"id":"a","result":[1,{"error":2}],"jsonrpc":"2.0"}', '"a"'],
])('passes %s through unchanged', (_, text, id) => {
  expect(tryPassThrough(buffered(text), id)).toBe(text)
})

it.each([
  ['a response that is not buffered', undefined, '7'],
  ['an error', '{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no"}}', '7'],
  ['an error of null with a result', '{"jsonrpc":"2.0","id":7,"result":1,"error":null}', '7'],
  ['another id', result, '8'],
  ['an id that is written in another way', result, '7.0'],
  ['no id', '{"jsonrpc":"2.0","result":1}', '7'],
  ['an id of null', '{"jsonrpc":"2.0","id":null,"result":1}', '7'],
  ['no version', '{"id":7,"result":1}', '7'],
  ['no result', '{"jsonrpc":"2.0","id":7}', '7'],
  ['a list', `[${result}]`, '7'],
  ['a text', '"0x1"', '7'],
  ['half of a result', result.slice(0, -1), '7'],
  ['more than ASCII', '{"jsonrpc":"2.0","id":7,"result":"ü"}', '7'],
])('parses and serializes %s', (_, text, id) => {
  expect(tryPassThrough(buffered(text), id)).toBeUndefined()
})
