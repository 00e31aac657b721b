import { frameMessage } from '@fairlead/grpc-transport/wire'
import { describe, expect, it } from 'vitest'
import { createMessageCounter } from './message-counter.ts'

const sizes = [0, 1, 4, 5, 300, 0, 70_000, 2]
const bytes = Buffer.concat(sizes.map((size) => frameMessage(new Uint8Array(size).fill(1), size % 2 === 1)))

describe('createMessageCounter', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 11, 16_384, bytes.length])(
    'counts messages in chunks of %i bytes',
    (chunkSize) => {
      const count = createMessageCounter()
      let total = 0
      for (let at = 0; at < bytes.length; at += chunkSize) total += count(bytes.subarray(at, at + chunkSize))
      expect(total).toBe(sizes.length)
    },
  )

  it('counts messages for every split position', () => {
    const short = Buffer.concat([frameMessage(new Uint8Array(3)), frameMessage(new Uint8Array(0))])
    for (let splitAt = 0; splitAt <= short.length; splitAt++) {
      const count = createMessageCounter()
      expect(count(short.subarray(0, splitAt)) + count(short.subarray(splitAt))).toBe(2)
    }
  })

  it('reads lengths of four bytes', () => {
    const count = createMessageCounter()
    expect(count(Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff))).toBe(1)
    expect(count(new Uint8Array(100_000))).toBe(0)
    const countSplit = createMessageCounter()
    expect(
      countSplit(Uint8Array.of(0, 0xff, 0xff)) +
        countSplit(Uint8Array.of(0xff, 0xff)) +
        countSplit(new Uint8Array(99)),
    ).toBe(1)
  })
})
