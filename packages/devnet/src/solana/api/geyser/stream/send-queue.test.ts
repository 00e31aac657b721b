import { describe, expect, it } from 'vitest'
import { createSendQueue, type SendQueue } from './send-queue.ts'

const bounds = { mostMessages: 3, mostBytes: 100 }
const frame = (value: number, size = 1): Uint8Array => new Uint8Array(size).fill(value)

function drain(sendQueue: SendQueue): number[] {
  const taken: number[] = []
  for (let next = sendQueue.take(); next !== undefined; next = sendQueue.take()) taken.push(next[0] ?? -1)
  return taken
}

describe('createOutbox', () => {
  it('gives frames in order, those that go first before all others', () => {
    const sendQueue = createSendQueue(bounds)
    sendQueue.push(frame(1))
    sendQueue.pushFirst(frame(2))
    sendQueue.push(frame(3))
    expect(drain(sendQueue)).toEqual([2, 1, 3])
  })

  it('takes no more messages, and no more bytes, than its bounds', () => {
    const sendQueue = createSendQueue(bounds)
    expect([1, 2, 3, 4].map((value) => sendQueue.push(frame(value)))).toEqual([true, true, true, false])
    sendQueue.take()
    expect(sendQueue.push(frame(5))).toBe(true)
    expect(sendQueue.pushFirst(frame(6))).toBe(false)
    expect(drain(sendQueue)).toEqual([2, 3, 5])
    expect([60, 41, 1].map((size) => sendQueue.push(frame(size, size)))).toEqual([true, true, false])
    expect(drain(sendQueue)).toEqual([60, 41])
    expect(sendQueue.push(frame(7, 1_000))).toBe(true)
  })

  it('makes lazy frames when it is their turn, and drops what others replace', () => {
    const sendQueue = createSendQueue(bounds)
    let made = 0
    function* replay(start: number): Generator<Uint8Array> {
      for (let value = start; value < start + 3; value++) {
        made++
        yield frame(value)
      }
    }
    sendQueue.push(frame(1))
    sendQueue.pushLazily(replay(10))
    sendQueue.push(frame(2))
    expect([sendQueue.take(), sendQueue.take()].map((taken) => taken?.[0])).toEqual([1, 10])
    expect(made).toBe(1)
    sendQueue.pushLazily(replay(20))
    sendQueue.push(frame(3))
    expect(drain(sendQueue)).toEqual([2, 20, 21, 22, 3])
  })

  it('keeps the order of very many frames', () => {
    const sendQueue = createSendQueue({ mostMessages: 10_000, mostBytes: 10_000 })
    const sent = Array.from({ length: 10_000 }, (_, index) => index % 251)
    for (const value of sent) expect(sendQueue.push(frame(value))).toBe(true)
    expect(drain(sendQueue)).toEqual(sent)
  })

  it('tells when a frame waits', async () => {
    const sendQueue = createSendQueue(bounds)
    const filled = sendQueue.filled()
    sendQueue.push(frame(1))
    await filled
    sendQueue.clear()
    expect(sendQueue.take()).toBeUndefined()
  })
})
