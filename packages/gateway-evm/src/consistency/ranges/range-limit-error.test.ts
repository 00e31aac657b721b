import { describe, expect, it } from 'vitest'
import { divideList, divideRange } from './range-limit-error.ts'

const range = { from: 1_000, to: 1_999 }

describe('the next range after an error', () => {
  it.each([
    // Limits of the range.
    ['query exceeds max block range 100', 100, true],
    ['eth_getLogs is limited to a 100 range', 100, true],
    ['eth_getLogs is limited to 0 - 50 blocks range', 50, true],
    ['exceed maximum block range: 500', 500, true],
    ['ranges over 500 blocks are not supported on freetier', 500, true],
    ['range 1000 exceeds limit of 400', 400, true],
    ['block range is larger than max block range, block range = 1000, max block range = 400', 400, true],
    ['block range too large, max range: 200', 200, true],
    ['block range is too wide', 500, true],
    ['Block range limit exceeded.', 500, true],
    ['The block range must have at most 10 blocks.', 10, true],
    [
      'You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x3e8, 0x5db]',
      500,
      true,
    ],
    ['block range is bigger than maxBlockRange', 500, true],
    ['block range too high', 500, true],
    ['maximum [from, to] blocks distance: 400', 400, true],
    ['a span of 128 at once, 1.5 s apart, plan v99', 128, true],
    ['at most 0x64 blocks', 100, true],
    ['blocks 1000 to 1999: 1,000 > 250', 250, true],
    // Limits of what the blocks contain.
    ['query exceeds max results 20000, retry with the range 1000-1255', 256, false],
    // reth sometimes suggests the rejected range itself.
    ['query exceeds max results 20000, retry with the range 1000-1999', 500, false],
    ['query returned more than 100 results', 500, false],
    ['query returned more than 10000 results. Try with this block range [0x3E8, 0x3EF].', 8, false],
    [
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x3e8, 0x3e8]',
      1,
      false,
    ],
    ['logs matched by query exceeds limit of 10000', 500, false],
    ['backend response too large', 500, false],
    ['query timed out after 20 seconds', 500, false],
    ['limit exceeded', 500, false],
    // A number in other words.
    ['höchstens 64', 64, false],
    ['Bitte weniger als 2k auf einmal, etwa 0x20', 32, false],
  ])('%s', (message, size, isLimit) => {
    expect(divideRange({ message }, range)).toEqual({ size, isLimit, isTrial: false })
  })

  it('may be in the data of the error', () => {
    const error = { message: 'invalid params', data: { payload: 'range 1000 is bigger than range limit 20' } }
    expect(divideRange(error, range)).toEqual({ size: 20, isLimit: true, isTrial: false })
    const suggested = { message: 'no', data: { max_range: 10, from: '0x3e8', to: '0x3f1' } }
    expect(divideRange(suggested, range)).toMatchObject({ size: 10 })
  })

  it.each([
    ['internal error', undefined],
    ['error 7', undefined],
    ['error -32099', undefined],
    ['history is not there', undefined],
    [undefined, undefined],
    [7, { at: '0x3e8' }],
  ])('is a trial of half the range: %j, %j', (message, data) => {
    const wide = { from: 1_000, to: 100_999 }
    expect(divideRange({ code: -32000, message, data }, wide)).toEqual({
      size: 50_000,
      isLimit: false,
      isTrial: true,
    })
    expect(divideRange({ code: -32005, message, data }, wide)).toMatchObject({ isTrial: false })
  })

  it.each(['exceed', 'max', 'range 1 ', '[0x1', '1,111', '-1'])(
    'is not searched for behind many times %j',
    (part) => {
      const long = part.repeat(5_000)
      const error = { message: `${long} max range: 77`, data: `${long} max range: 77` }
      expect(divideRange(error, { from: 1, to: 1_000 }).size).not.toBe(77)
    },
  )
})

it.each([
  ['exceed max addresses or topics per search position', 500],
  ['too many addresses: 1000 > 100', 100],
  ['at most 1,000', 500],
  ['at most 5 addresses', 500],
])('the next list after an error: %s', (message, size) => {
  expect(divideList({ message }, 1_000).size).toBe(size)
})
