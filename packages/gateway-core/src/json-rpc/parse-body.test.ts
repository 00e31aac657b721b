import { describe, expect, it, onTestFinished, vi } from 'vitest'
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

  it('preserves nested and very large values', () => {
    const deep = '['.repeat(998) + ']'.repeat(998) + ' '.repeat(1_024)
    expect(one(`{"jsonrpc":"2.0","id":1,"method":"m","params":[${deep}]}`)).toMatchObject({
      paramsText: `[${deep}]`,
    })
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

  it('rejects a batch over the limit with one error, and does not read the rest of it', () => {
    const calls = [call('1'), call('2'), call('3')].join(',')
    expect(parse(`[${calls}]`, 3).items.some((item) => 'failure' in item)).toBe(false)
    for (const text of [`[${calls},${call('4')}]`, `[${'1,'.repeat(1_000)}1]`, `[${calls},7,no JSON`]) {
      expect(() => parse(text, 3)).toThrow(expect.objectContaining({ code: -32600, data: { max_items: 3 } }))
    }
  })

  it.each([
    ['[', 1_001, 'levels'],
    ['{"a":', 1_001, 'levels'],
    ['[', 5_000_000, 'levels'],
    ['[],', 50_001, 'values'],
    ['{"a":1},', 50_001, 'values'],
    ['"a":1,', 50_001, 'values'],
  ])('rejects %s %i times before it is parsed', (piece, count, what) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"m","params":[${piece.repeat(count)}`
    const parseJson = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parseJson.mockRestore())
    // The limits apply to long texts.
    expect(failureOf(text + ' '.repeat(1_024))).toMatchObject({
      code: -32600,
      message: expect.stringContaining(what),
    })
    expect(parseJson).not.toHaveBeenCalled()
  })

  it.each([
    '[1,2',
    '[1 2]',
    '[1,]',
    '[,1]',
    '[,]',
    '[1}',
    '{]',
    '[{]}',
    '[1]]',
    '[1],[2]',
    '[[1],2',
    '["]',
    '[\u00a01]',
    '[1]\u00a0',
    '[1]x',
    '\u000b[1]',
  ])('rejects the batch %s as JSON.parse does', (written) => {
    const text = written.replaceAll(/\\u(....)/g, (_, code: string) =>
      String.fromCodePoint(Number(`0x${code}`)),
    )
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
    expect(failureOf(text)).toMatchObject({ code: -32700 })
  })

  it('creates no error for hostile input, as a stack trace costs more than the input', () => {
    for (const text of ['1', '[', '[]', '{}', '{"jsonrpc":"2.0","method":1}']) {
      const errors = [1, 2].map(() => {
        try {
          const [item] = parse(text).items
          return item && 'failure' in item ? item.failure : undefined
        } catch (error) {
          return error
        }
      })
      expect(errors[0]).toBeDefined()
      expect(errors[0]).toBe(errors[1])
    }
  })
})
