import { describe, expect, it } from 'vitest'
import { parseBody } from './parse-body.ts'
import type { RpcItem } from './types.ts'
import { RpcError } from './rpc-error.ts'

const call = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"m","params":[]}`

function parse(text: string | Uint8Array, maxBatchItems = 10) {
  return parseBody(typeof text === 'string' ? Buffer.from(text) : text, maxBatchItems)
}

function one(text: string): RpcItem {
  const { batch, items } = parse(text)
  expect(batch).toBe(false)
  expect(items).toHaveLength(1)
  return items[0] as RpcItem
}

function failureOf(text: string | Uint8Array): RpcError {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof RpcError) return error
  }
  throw new Error('There was no failure.')
}

describe('parseBody', () => {
  it.each(['', ' ', '{', '{"a":1,}', 'nul', '[1', "{'a':1}", '{"a":1} x', '[NaN]', '\u{feff}\u{feff}{}'])(
    'rejects %j, which is not JSON',
    (text) => {
      expect(failureOf(text)).toMatchObject({ code: -32700, status: 200 })
    },
  )

  it('rejects bytes that are not UTF-8', () => {
    expect(failureOf(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ code: -32700 })
    expect(failureOf(Buffer.from(call('1'), 'utf16le'))).toMatchObject({ code: -32700 })
  })

  it('skips a byte order mark', () => {
    expect(one(`\u{feff}${call('1')}`)).toMatchObject({ method: 'm', idText: '1' })
  })

  it('rejects an empty batch', () => {
    expect(failureOf('[ ]')).toMatchObject({ code: -32600, message: expect.stringContaining('at least one') })
  })

  it.each(['1', '"text"', 'null', 'true'])('rejects %s, which is not a request', (text) => {
    expect(one(text)).toMatchObject({ idText: 'null', failure: { code: -32600 } })
  })

  it.each([
    ['{"id":7,"method":"m"}', '7', 'jsonrpc'],
    ['{"jsonrpc":2.0,"id":7,"method":"m"}', '7', 'jsonrpc'],
    ['{"jsonrpc":"1.0","id":"x","method":"m"}', '"x"', 'jsonrpc'],
    ['{"jsonrpc":"2.0","id":7}', '7', 'method'],
    ['{"jsonrpc":"2.0","id":7,"method":null}', '7', 'method'],
    ['{"jsonrpc":"2.0","id":7,"method":"m","params":"x"}', '7', 'params'],
    ['{"jsonrpc":"2.0","method":1}', 'null', 'method'],
    ['{"jsonrpc":"2.0","id":{},"method":"m"}', 'null', 'id'],
    ['{"jsonrpc":"2.0","id":[1],"method":"m"}', 'null', 'id'],
    ['{"jsonrpc":"2.0","id":7,"method":"m","params":true}', '7', 'params'],
    ['{"__proto__":{"method":"m"},"jsonrpc":"2.0","id":7}', '7', 'method'],
  ])('returns the error of %s with its id and names the key', (text, idText, key) => {
    const item = one(text)
    expect(item).toMatchObject({ idText, failure: { code: -32600 } })
    expect('failure' in item && item.failure.message).toContain(key)
  })

  it.each([
    '0',
    '1',
    '-1',
    '1.0',
    '1e2',
    '12345678901234567890',
    '1e999',
    'null',
    'true',
    'false',
    '""',
    '"a\\u0041\\""',
  ])('preserves the id %s verbatim', (id) => {
    expect(one(call(id))).toMatchObject({ idText: id })
  })

  it('treats null params as absent, also in a batch', () => {
    const text = '{"jsonrpc":"2.0","id":7,"method":"m","params":null}'
    const parsed = { method: 'm', params: [], paramsText: '[]', idText: '7' }
    expect(one(text)).toEqual(parsed)
    expect(parse(`[${text},${text}]`).items).toEqual([parsed, parsed])
  })

  it('treats a request without id as a notification, and absent params as no params', () => {
    expect(one('{"jsonrpc":"2.0","method":"m"}')).toEqual({
      method: 'm',
      params: [],
      paramsText: '[]',
      idText: undefined,
    })
  })

  it('uses the last of two equal keys everywhere', () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"a","params":[1],"m\\u0065thod":"b","params":[2],"id":2}'
    expect(one(text)).toEqual({ method: 'b', params: [2], paramsText: '[2]', idText: '2' })
  })

  it('ignores keys in another case', () => {
    expect(one('{"jsonrpc":"2.0","id":1,"method":"a","Method":"b","METHOD":"c","ID":9}')).toMatchObject({
      method: 'a',
      idText: '1',
    })
  })

  it('preserves deeply nested and very large values without a stack overflow', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expect(one(`{"jsonrpc":"2.0","id":1,"method":"m","params":[${deep}]}`)).toMatchObject({
      paramsText: `[${deep}]`,
    })
    expect(one(deep === '' ? '' : `{"a":${deep}}`)).toMatchObject({ failure: { code: -32600 } })
    const longId = `"${'x'.repeat(500_000)}"`
    expect(one(call(longId))).toMatchObject({ idText: longId })
    const digits = '9'.repeat(500_000)
    expect(one(call(digits))).toMatchObject({ idText: digits })
  })

  it('preserves the order of a batch, and returns an error for each invalid request', () => {
    const { batch, items } = parse(`[${call('1.0')}, 5 ,{"id":"b"},${call('null')}, []]`)
    expect(batch).toBe(true)
    expect(items.map(({ idText }) => idText)).toEqual(['1.0', 'null', '"b"', 'null', 'null'])
    expect(items.map((item) => 'failure' in item)).toEqual([false, true, true, false, true])
  })

  it('returns one error per id for a batch over the limit', () => {
    const { batch, items } = parse(`[${call('1.0')},{"jsonrpc":"2.0","method":"m"},7,${call('"b"')}]`, 3)
    expect(batch).toBe(true)
    expect(items.map(({ idText }) => idText)).toEqual(['1.0', '"b"'])
    for (const item of items) {
      expect(item).toMatchObject({ failure: { code: -32600, data: { max_items: 3, items: 4 } } })
    }
    expect(parse(`[${call('1')},${call('2')},${call('3')}]`, 3).items.some((item) => 'failure' in item)).toBe(
      false,
    )
  })

  it('returns one error for a batch over the limit without ids', () => {
    expect(parse('[1,2,3,4]', 3).items).toMatchObject([{ idText: 'null', failure: { code: -32600 } }])
  })
})
