import { describe, expect, it } from 'vitest'
import { OwnId } from './own-id.ts'

const page = '<style>a{b:c}</style><p>Bad gateway</p>'
const error = '"error":{"code":-32000,"message":"no"}'

// `ID` stands for the id of the call.
const accepted: readonly (readonly [body: string, status: number, isAlone: boolean])[] = [
  ['{"jsonrpc":"2.0","id":ID,"result":"0x1"}', 200, false],
  ['{"jsonrpc":"2.0","result":{"id":1},"id":ID}\n', 200, false],
  ['{"result":"}{","id":"ID"}', 200, false],
  [`{"jsonrpc":"2.0","id":null,${error}}`, 200, true],
  [`{"jsonrpc":"2.0",${error}}`, 429, false],
  ['{"jsonrpc":"2.0","id":null,"result":null,"error":{"code":1}}', 200, true],
  [page, 200, true],
  [page, 503, false],
  [page, 429, false],
  ['', 500, false],
]

const rejected: readonly (readonly [body: string, status: number, isAlone: boolean])[] = [
  ['{"jsonrpc":"2.0","id":1,"result":"0x1"}', 200, true],
  ['{"jsonrpc":"2.0","result":{"id":ID},"id":1}', 200, true],
  ['{"jsonrpc":"2.0","id":null,"result":"0x1"}', 200, true],
  ['{"jsonrpc":"2.0","result":"0x1"}', 200, true],
  [`{"jsonrpc":"2.0","id":null,${error}}`, 200, false],
  [`{"jsonrpc":"2.0","id":null,${error}}`, 503, false],
  ['{"jsonrpc":"2.0","id":ID,"result":1}{"jsonrpc":"2.0","id":1,"result":2}', 200, true],
  ['{"jsonrpc":"2.0","id":1,"result":2} {"jsonrpc":"2.0","result":1,"id":ID}', 200, true],
  ['[{"jsonrpc":"2.0","id":ID,"result":1}]', 200, true],
  [page, 200, false],
  [page, 400, false],
  ['', 200, false],
]

function check(body: string, status: number, isAlone: boolean): void {
  const id = new OwnId()
  id.begin(status, isAlone)
  id.onBody(body.replaceAll('ID', id.text))
}

describe('a response', () => {
  it.each(accepted)('may belong to its call: %s, HTTP %i, alone: %s', (body, status, isAlone) => {
    expect(() => check(body, status, isAlone)).not.toThrow()
  })

  it.each(rejected)('is rejected: %s, HTTP %i, alone: %s', (body, status, isAlone) => {
    expect(() => check(body, status, isAlone)).toThrow(expect.objectContaining({ kind: 'mismatched' }))
  })

  it('to a batch is rejected in parts too', () => {
    const id = new OwnId()
    id.begin(200, true)
    const part = Buffer.from(`[{"jsonrpc":"2.0","id":${id.text},"result":"0x`)
    expect(() => id.onPart(part)).toThrow(expect.objectContaining({ kind: 'mismatched' }))
  })

  it('that is cut off is malformed', () => {
    const half = '{"jsonrpc":"2.0","id":ID,"result":"0x'
    expect(() => check(half, 200, true)).toThrow(expect.objectContaining({ kind: 'malformed' }))
  })

  it('in parts is checked where its id ends', () => {
    const id = new OwnId()
    id.begin(200, true)
    for (const part of ['{"jsonrpc":"2.0","i', `d":${id.text.slice(0, 4)}`, `${id.text.slice(4)},"re`])
      id.onPart(Buffer.from(part))
    expect([id.from, id.to]).toEqual([22, 31])
    const other = new OwnId()
    other.begin(200, true)
    other.onPart(Buffer.from('{"jsonrpc":"2.0","result":"0x1","id":12'))
    expect(() => other.onPart(Buffer.from('3}'))).toThrow(expect.objectContaining({ kind: 'mismatched' }))
  })
})
