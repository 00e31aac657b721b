import { expect, it } from 'vitest'
import { isTooWide, narrower } from './range-limit-error.ts'

it.each([
  ['query exceeds max block range 100', 100, true],
  ['query exceeds max results 20000, retry with the range 1000-1255', 256, false],
  // reth sometimes suggests the rejected range itself.
  ['query exceeds max results 20000, retry with the range 1000-1999', 500, false],
  ['query returned more than 10000 results', 500, false],
  ['query returned more than 10000 results. Try with this block range [0x3E8, 0x3EF].', 8, false],
  [
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x3e8, 0x3e8]',
    1,
    false,
  ],
  ['eth_getLogs is limited to a 100 range', 100, true],
  ['eth_getLogs is limited to a 10,000 range', 500, false],
  ['eth_getLogs is limited to 0 - 50 blocks range', 50, true],
  ['exceed maximum block range: 500', 500, true],
  ['ranges over 500 blocks are not supported on freetier', 500, true],
  ['range 1000 exceeds limit of 500', 500, true],
  ['block range is larger than max block range, block range = 1000, max block range = 400', 400, true],
  ['block range too large, max range: 200', 200, true],
  ['block range is too wide', 500, false],
  ['Block range limit exceeded.', 500, false],
  ['logs matched by query exceeds limit of 10000', 500, false],
  ['backend response too large', 500, false],
  ['The block range must have at most 10 blocks.', 10, true],
])('%s', (message, blocks, isLimit) => {
  expect(isTooWide({ message })).toBe(true)
  expect(narrower({ message }, 1_000, 1_000)).toEqual({ blocks, isLimit })
})

it('may be in the data of the error', () => {
  const error = { message: 'invalid params', data: { payload: 'range 1000 is bigger than range limit 20' } }
  expect(isTooWide(error)).toBe(true)
  expect(narrower(error, 1_000, 1_000)).toEqual({ blocks: 20, isLimit: true })
})

it.each(['exceed', 'max', 'range 1 ', '[0x1'])('is not searched for behind many times %j', (part) => {
  const long = part.repeat(5_000)
  expect(isTooWide({ message: `${long} query exceeds max results`, data: long })).toBe(false)
  expect(narrower({ message: long, data: `${long} max range: 5` }, 1, 1_000)).toMatchObject({ blocks: 500 })
})

it.each([
  'block range extends beyond current head block',
  'invalid block range params',
  'header not found',
  'invalid argument 0: hex string has length 3, want 40 for common.Address',
  'execution reverted',
  'the method eth_getLogs does not exist/is not available',
  'missing trie node',
  'History has been pruned for this block',
])('%s is another error', (message) => {
  expect(isTooWide({ message })).toBe(false)
})
