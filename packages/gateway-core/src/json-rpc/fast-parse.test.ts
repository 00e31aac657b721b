import { describe, expect, it } from 'vitest'
import { fastParse } from './fast-parse.ts'
import { parseBody } from './parse-body.ts'

const call = {
  method: 'eth_call',
  params: [{ to: '0x1' }, ']}'],
  paramsText: '[{"to":"0x1"},"]}"]',
  idText: '7',
}

describe('fastParse', () => {
  it.each([
    ['viem, go-ethereum', '{"jsonrpc":"2.0","id":7,"method":"eth_call","params":[{"to":"0x1"},"]}"]}'],
    ['ethers, alloy', '{"method":"eth_call","params":[{"to":"0x1"},"]}"],"id":7,"jsonrpc":"2.0"}'],
    ['web3.py', '{"jsonrpc": "2.0", "method": "eth_call", "params": [{"to":"0x1"},"]}"], "id": 7}'],
    ['params first', '{"params":[{"to":"0x1"},"]}"],"jsonrpc":"2.0","method":"eth_call","id":7}'],
  ])('reads a call as %s write it', (_, text) => {
    expect(fastParse(text)).toEqual(call)
  })

  it('preserves the id and the params verbatim', () => {
    const text =
      '{"jsonrpc":"2.0","id":"a b.c:-1","method":"eth_call","params":[ 1.0, 12345678901234567890 ]}'
    expect(fastParse(text)).toMatchObject({
      idText: '"a b.c:-1"',
      paramsText: '[ 1.0, 12345678901234567890 ]',
    })
  })

  it.each([
    ['a member twice', '{"jsonrpc":"2.0","id":7,"id":8,"method":"a","params":[]}'],
    ['a member twice, behind', '{"jsonrpc":"2.0","id":7,"method":"a","params":[],"method":"b"}'],
    ['params twice', '{"jsonrpc":"2.0","id":7,"method":"a","params":[],"params":[]}'],
    ['params twice, the first ones first', '{"params":[],"jsonrpc":"2.0","id":7,"method":"a","params":[]}'],
    ['a key with an escape', '{"jsonrpc":"2.0","id":7,"m\\u0065thod":"a","params":[]}'],
    ['a key in another case', '{"jsonrpc":"2.0","id":7,"Method":"a","method":"a","params":[]}'],
    ['another key', '{"jsonrpc":"2.0","id":7,"method":"a","params":[],"x":1}'],
    ['another key with brackets', '{"jsonrpc":"2.0","id":7,"method":"a","params":[],"x":[]}'],
    ['a method with an escape', '{"jsonrpc":"2.0","id":7,"method":"\\u0061","params":[]}'],
    ['a method that is a number', '{"jsonrpc":"2.0","id":7,"method":5,"params":[]}'],
    ['another version', '{"jsonrpc":"1.0","id":7,"method":"a","params":[]}'],
    ['a version that is a number', '{"jsonrpc":2,"id":7,"method":"a","params":[]}'],
    ['no id', '{"jsonrpc":"2.0","method":"a","params":[]}'],
    ['null for an id', '{"jsonrpc":"2.0","id":null,"method":"a","params":[]}'],
    ['an id of many digits', '{"jsonrpc":"2.0","id":1234567890123456,"method":"a","params":[]}'],
    ['an id with a fraction', '{"jsonrpc":"2.0","id":1.0,"method":"a","params":[]}'],
    ['an id with an escape', '{"jsonrpc":"2.0","id":"\\n","method":"a","params":[]}'],
    ['params by name', '{"jsonrpc":"2.0","id":7,"method":"a","params":{}}'],
    ['no params', '{"jsonrpc":"2.0","id":7,"method":"a"}'],
    ['params that are no JSON', '{"jsonrpc":"2.0","id":7,"method":"a","params":[,]}'],
    ['params that end early', '{"jsonrpc":"2.0","id":7,"method":"a","params":[1],[2]}'],
    ['no end', '{"jsonrpc":"2.0","id":7,"method":"a","params":[]'],
    ['text after the end', '{"jsonrpc":"2.0","id":7,"method":"a","params":[]} '],
    ['no comma', '{"jsonrpc":"2.0" "id":7,"method":"a","params":[]}'],
    ['two commas', '{"jsonrpc":"2.0",,"id":7,"method":"a","params":[]}'],
    ['a trailing comma', '{"jsonrpc":"2.0","id":7,"method":"a","params":[],}'],
    ['a batch', '[{"jsonrpc":"2.0","id":7,"method":"a","params":[]}]'],
  ])('returns undefined for %s', (_, text) => {
    expect(fastParse(text)).toBeUndefined()
  })

  it('returns undefined or the same result as the full parser', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      '"jsonrpc":"2.0"',
      '"id":1',
      '"id":"x"',
      '"method":"a"',
      '"params":[]',
      '"params":',
      '"]"',
      ' ',
      '1',
      '"x":2',
    ]
    let read = 0
    let state = 1
    const draw = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit
    for (let round = 0; round < 20_000; round++) {
      const members = ['"jsonrpc":"2.0"', '"id":1', '"method":"a"', '"params":[{"b":[]},"]"]']
      for (let swaps = 0; swaps < 3; swaps++) members.push(...members.splice(draw(4), 1))
      const signs = `{${members.join(',')}}`.split(/(?<=[,:[\]{}])/)
      for (let changes = draw(3); changes > 0; changes--) {
        signs.splice(draw(signs.length + 1), draw(2), ...(draw(2) ? [pieces[draw(pieces.length)] ?? ''] : []))
      }
      const text = signs.join('')
      const ordinary = fastParse(text)
      if (!ordinary) continue
      read += 1
      // Trailing white space makes `parseBody` use the complete parser.
      expect(parseBody(Buffer.from(`${text} `), 1)).toEqual({ batch: false, items: [ordinary] })
    }
    expect(read).toBeGreaterThan(5_000)
  })
})
