import { describe, expect, it } from 'vitest'
import { createSendQueue, type SendQueue } from './send-queue.ts'

const limits = { maxMessages: 3, maxBytes: 100 }
const frame = (value: number, size = 1): Uint8Array => new Uint8Array(size).fill(value)

function drain(sendQueue: SendQueue): number[] {
  const shifted: number[] = []
  for (let next = sendQueue.shift(); next !== undefined; next = sendQueue.shift()) shifted.push(next[0] ?? -1)
  return shifted
}

describe('createSendQueue', () => {
  it('returns frames in order, priority frames first', () => {
    const sendQueue = createSendQueue(limits)
    sendQueue.push(frame(1))
    sendQueue.pushFirst(frame(2))
    sendQueue.push(frame(3))
    expect(drain(sendQueue)).toEqual([2, 1, 3])
  })

  it('rejects messages and bytes above its limits', () => {
    const sendQueue = createSendQueue(limits)
    expect([1, 2, 3, 4].map((value) => sendQueue.push(frame(value)))).toEqual([true, true, true, false])
    sendQueue.shift()
    expect(sendQueue.push(frame(5))).toBe(true)
    expect(sendQueue.pushFirst(frame(6))).toBe(false)
    expect(drain(sendQueue)).toEqual([2, 3, 5])
    expect([60, 41, 1].map((size) => sendQueue.push(frame(size, size)))).toEqual([true, true, false])
    expect(drain(sendQueue)).toEqual([60, 41])
    expect(sendQueue.push(frame(7, 1_000))).toBe(true)
  })

  it('creates lazy frames on demand, and discards replaced ones', () => {
    const sendQueue = createSendQueue(limits)
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
    expect([sendQueue.shift(), sendQueue.shift()].map((shifted) => shifted?.[0])).toEqual([1, 10])
    expect(made).toBe(1)
    sendQueue.pushLazily(replay(20))
    sendQueue.push(frame(3))
    expect(drain(sendQueue)).toEqual([2, 20, 21, 22, 3])
  })

  it('preserves the order of very many frames', () => {
    const sendQueue = createSendQueue({ maxMessages: 10_000, maxBytes: 10_000 })
    const sent = Array.from({ length: 10_000 }, (_, index) => index % 251)
    for (const value of sent) expect(sendQueue.push(frame(value))).toBe(true)
    expect(drain(sendQueue)).toEqual(sent)
  })

  it('resolves when a frame is available', async () => {
    const sendQueue = createSendQueue(limits)
    const filled = sendQueue.filled()
    sendQueue.push(frame(1))
    await filled
    sendQueue.clear()
    expect(sendQueue.shift()).toBeUndefined()
  })
})
