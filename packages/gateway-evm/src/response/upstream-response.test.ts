import { Readable } from 'node:stream'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { expect, it } from 'vitest'
import { UpstreamResponse } from './upstream-response.ts'

const { signal } = new AbortController()

/** A response whose body arrives in chunks. */
function chunked(chunks: readonly Buffer[]): UpstreamResponse {
  const body = Object.assign(Readable.from(chunks, { objectMode: false }), { dump: async () => undefined })
  const framing = { length: undefined, isDelimited: true }
  return UpstreamResponse.received({ ...framing, latin1: undefined, bytes: undefined, body }, ['secret'])
}

const kibibytes = (count: number) => chunked(Array.from({ length: count }, () => Buffer.alloc(1_024, 'x')))
const reservation = new MemoryLedger(2 ** 20).reserve(undefined, 'response')

/** A response that was received as a string. */
function buffered(text: string): UpstreamResponse {
  return UpstreamResponse.buffered(Buffer.from(text).toString('latin1'))
}

it('buffers a short response', async () => {
  const response = await kibibytes(64).bufferShort(signal)
  expect(response.latin1?.length).toBe(65_536)
})

it('retains the received bytes of a long response, which remains a stream', async () => {
  const response = await kibibytes(128).bufferShort(signal)
  expect(response).toMatchObject({ isBuffered: false, isDelimited: true, length: undefined })
  expect((await response.readText(reservation, signal)).length).toBe(131_072)
})

it('removes the secrets of the upstream from the error of a buffered response', async () => {
  const error = '{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no secret"}}'
  const response = await chunked([Buffer.from(error)]).bufferShort(signal)
  const text = await response.readWithId('7', { method: 'eth_call', reservation, signal })
  expect(text).toContain('"message":"no ')
  expect(text).not.toContain('secret')
})

const result = '{"jsonrpc":"2.0","id":7,"result":"0x1"}'

it.each([
  ['a result', result, '7'],
  ['one between white space', ` ${result.replaceAll(',', ' ,\n')}\n`, '7'],
  ['null', '{"jsonrpc":"2.0","id":7,"result":null}', '7'],
  ['one under an id of letters', '{"id":"a","result":[1,{"error":2}],"jsonrpc":"2.0"}', '"a"'],
])('passes %s through unchanged', (_, text, id) => {
  expect(buffered(text).tryPassThrough(id)).toBe(text)
})

it.each([
  ['a response that is not buffered', kibibytes(1), '7'],
  ['an error', buffered('{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no"}}'), '7'],
  ['an error of null with a result', buffered('{"jsonrpc":"2.0","id":7,"result":1,"error":null}'), '7'],
  ['another id', buffered(result), '8'],
  ['an id that is written in another way', buffered(result), '7.0'],
  ['no id', buffered('{"jsonrpc":"2.0","result":1}'), '7'],
  ['an id of null', buffered('{"jsonrpc":"2.0","id":null,"result":1}'), '7'],
  ['no version', buffered('{"id":7,"result":1}'), '7'],
  ['no result', buffered('{"jsonrpc":"2.0","id":7}'), '7'],
  ['a list', buffered(`[${result}]`), '7'],
  ['a text', buffered('"0x1"'), '7'],
  ['half of a result', buffered(result.slice(0, -1)), '7'],
  ['more than ASCII', buffered('{"jsonrpc":"2.0","id":7,"result":"ü"}'), '7'],
])('parses and serializes %s', (_, response, id) => {
  expect(response.tryPassThrough(id)).toBeUndefined()
})
