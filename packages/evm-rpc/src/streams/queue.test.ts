import { describe, expect, it } from 'vitest'
import { createQueue } from './queue.ts'

async function rest(items: AsyncIterable<number>): Promise<{ read: number[]; failure?: unknown }> {
  const read: number[] = []
  try {
    for await (const item of items) read.push(item)
    return { read }
  } catch (failure) {
    return { read, failure }
  }
}

function fill(policy: 'error' | 'drop-oldest' | 'drop-newest', count: number) {
  const counts = { dropped: 0, stopped: 0 }
  const queue = createQueue<number>(
    'test',
    { capacity: 3, policy, onDrop: (dropped) => (counts.dropped = dropped) },
    () => counts.stopped++,
  )
  for (let item = 1; item <= count; item++) queue.push(item)
  return { queue, counts }
}

describe('a queue', () => {
  it('delivers items in order, to waiting and to later readers', async () => {
    const { queue } = fill('error', 0)
    const waiting = [queue.next(), queue.next()]
    for (const item of [1, 2, 3, 4]) queue.push(item)
    expect((await Promise.all(waiting)).map(({ value }) => value)).toEqual([1, 2])
    queue.end()
    expect(await rest(queue)).toEqual({ read: [3, 4] })
  })

  it('ends with STREAM_OVERFLOW after the buffered items', async () => {
    const { queue, counts } = fill('error', 10)
    expect(counts.stopped).toBe(1)
    expect(await rest(queue)).toMatchObject({
      read: [1, 2, 3],
      failure: { code: 'STREAM_OVERFLOW', details: { operation: 'test', capacity: 3 } },
    })
    expect(await queue.next()).toEqual({ done: true, value: undefined })
  })

  it.each([
    ['drop-oldest', [8, 9, 10]],
    ['drop-newest', [1, 2, 3]],
  ] as const)('counts dropped items: %s', async (policy, buffered) => {
    const { queue, counts } = fill(policy, 10)
    queue.end()
    expect(await rest(queue)).toEqual({ read: buffered })
    expect(counts.dropped).toBe(7)
  })

  it('releases waiting readers and drops buffered items on return', async () => {
    const { queue, counts } = fill('error', 0)
    const waiting = queue.next()
    await queue.return()
    expect(await waiting).toEqual({ done: true, value: undefined })
    queue.push(1)
    expect(await queue.next()).toEqual({ done: true, value: undefined })
    queue.end()
    expect(counts.stopped).toBe(1)
  })

  it('reports a failure once', async () => {
    const { queue } = fill('error', 1)
    const reason = new Error('closed')
    queue.fail(reason)
    expect(await rest(queue)).toEqual({ read: [1], failure: reason })
    expect(await rest(queue)).toEqual({ read: [] })
  })

  it.each([0, -1, 1.5, Infinity])('rejects a capacity of %s', (capacity) => {
    expect(() => createQueue('test', { capacity })).toThrow('buffer.capacity')
  })
})
