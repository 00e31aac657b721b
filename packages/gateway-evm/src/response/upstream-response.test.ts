import { Readable } from 'node:stream'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { expect, it } from 'vitest'
import { OwnId } from './own-id.ts'
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

/** A response that was received as a string. `ID` stands for the id of the call. */
function buffered(text: string): UpstreamResponse {
  const id = new OwnId()
  const latin1 = Buffer.from(text.replaceAll('ID', id.text)).toString('latin1')
  return chunked([]).part(latin1, id)
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

const result = '{"jsonrpc":"2.0","id":ID,"result":"0x1"}'

it.each([
  ['a result', result],
  ['an id that is a string', '{"jsonrpc":"2.0","id":"ID","result":1}'],
  ['null', '{"jsonrpc":"2.0","id":ID,"result":null}'],
  ['an id at another place', '{"id":ID,"result":1,"jsonrpc":"2.0"}'],
  ['one between white space', ` ${result.replaceAll(',', ' ,\n')}\n`],
  ['a result before the id', '{"jsonrpc":"2.0","result":[1,{"error":2}],"id":ID}'],
  ['one with a line feed after it', '{"jsonrpc":"2.0","result":"0x1","id":ID}\n'],
])('passes %s through with the id of the caller', (_, text) => {
  expect(buffered(text).tryPassThrough('"a"')).toBe(text.replace(/"?ID"?/, '"a"'))
})

it.each([
  ['a response that is not buffered', kibibytes(1)],
  ['an error', buffered('{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"no"}}')],
  ['an error of null with a result', buffered('{"jsonrpc":"2.0","id":ID,"result":1,"error":null}')],
  ['no version', buffered('{"result":1,"id":ID}')],
  ['no result', buffered('{"jsonrpc":"2.0","id":ID}')],
  ['more than ASCII', buffered('{"jsonrpc":"2.0","id":ID,"result":"ü"}')],
])('parses and serializes %s', (_, response) => {
  expect(response.tryPassThrough('7')).toBeUndefined()
})
