import { describe, expect, it } from 'vitest'
import { createOutbox, type Outbox } from './send-queue.ts'

const bounds = { mostMessages: 3, mostBytes: 100 }
const frame = (value: number, size = 1): Uint8Array => new Uint8Array(size).fill(value)

function drain(outbox: Outbox): number[] {
  const taken: number[] = []
  for (let next = outbox.take(); next !== undefined; next = outbox.take()) taken.push(next[0] ?? -1)
  return taken
}

describe('createOutbox', () => {
  it('gives frames in order, those that go first before all others', () => {
    const outbox = createOutbox(bounds)
    outbox.push(frame(1))
    outbox.pushFirst(frame(2))
    outbox.push(frame(3))
    expect(drain(outbox)).toEqual([2, 1, 3])
  })

  it('takes no more messages, and no more bytes, than its bounds', () => {
    const outbox = createOutbox(bounds)
    expect([1, 2, 3, 4].map((value) => outbox.push(frame(value)))).toEqual([true, true, true, false])
    outbox.take()
    expect(outbox.push(frame(5))).toBe(true)
    expect(outbox.pushFirst(frame(6))).toBe(false)
    expect(drain(outbox)).toEqual([2, 3, 5])
    expect([60, 41, 1].map((size) => outbox.push(frame(size, size)))).toEqual([true, true, false])
    expect(drain(outbox)).toEqual([60, 41])
    expect(outbox.push(frame(7, 1_000))).toBe(true)
  })

  it('makes lazy frames when it is their turn, and drops what others replace', () => {
    const outbox = createOutbox(bounds)
    let made = 0
    function* replay(start: number): Generator<Uint8Array> {
      for (let value = start; value < start + 3; value++) {
        made++
        yield frame(value)
      }
    }
    outbox.push(frame(1))
    outbox.pushLazily(replay(10))
    outbox.push(frame(2))
    expect([outbox.take(), outbox.take()].map((taken) => taken?.[0])).toEqual([1, 10])
    expect(made).toBe(1)
    outbox.pushLazily(replay(20))
    outbox.push(frame(3))
    expect(drain(outbox)).toEqual([2, 20, 21, 22, 3])
  })

  it('keeps the order of very many frames', () => {
    const outbox = createOutbox({ mostMessages: 10_000, mostBytes: 10_000 })
    const sent = Array.from({ length: 10_000 }, (_, index) => index % 251)
    for (const value of sent) expect(outbox.push(frame(value))).toBe(true)
    expect(drain(outbox)).toEqual(sent)
  })

  it('tells when a frame waits', async () => {
    const outbox = createOutbox(bounds)
    const filled = outbox.filled()
    outbox.push(frame(1))
    await filled
    outbox.clear()
    expect(outbox.take()).toBeUndefined()
  })
})
