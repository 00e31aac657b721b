import { frameMessage } from '@fairlead/grpc-transport/wire'
import { describe, expect, it } from 'vitest'
import { createMessageCounter } from './message-counter.ts'

const sizes = [0, 1, 4, 5, 300, 0, 70_000, 2]
const bytes = Buffer.concat(sizes.map((size) => frameMessage(new Uint8Array(size).fill(1), size % 2 === 1)))

describe('createMessageCounter', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 11, 16_384, bytes.length])(
    'counts messages in pieces of %i bytes',
    (piece) => {
      const count = createMessageCounter()
      let total = 0
      for (let at = 0; at < bytes.length; at += piece) total += count(bytes.subarray(at, at + piece))
      expect(total).toBe(sizes.length)
    },
  )

  it('counts wherever the bytes are cut once', () => {
    const short = Buffer.concat([frameMessage(new Uint8Array(3)), frameMessage(new Uint8Array(0))])
    for (let cut = 0; cut <= short.length; cut++) {
      const count = createMessageCounter()
      expect(count(short.subarray(0, cut)) + count(short.subarray(cut))).toBe(2)
    }
  })

  it('believes lengths of four bytes', () => {
    const count = createMessageCounter()
    expect(count(Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff))).toBe(1)
    expect(count(new Uint8Array(100_000))).toBe(0)
    const cut = createMessageCounter()
    expect(cut(Uint8Array.of(0, 0xff, 0xff)) + cut(Uint8Array.of(0xff, 0xff)) + cut(new Uint8Array(99))).toBe(
      1,
    )
  })
})
