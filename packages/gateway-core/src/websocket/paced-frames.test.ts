import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTick } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TickBudget } from '../admission/tick-budget.ts'
import { clientFrame } from '../testing/raw-websocket.ts'
import { PacedFrames } from './paced-frames.ts'

const length = clientFrame('1').length
const frames = (count: number) => Buffer.concat(Array.from({ length: count }, () => clientFrame('1')))

/** A connection, and the number of frames that its library has received. */
function connection(budget: TickBudget, organizationId: string) {
  const socket = new PassThrough({ highWaterMark: 1_000_000 })
  onTestFinished(() => void socket.destroy())
  let [received, parsed] = [0, 0]
  const parse = (chunk: Buffer) => void (parsed += chunk.length)
  socket.on('data', parse)
  const paced = new PacedFrames(socket, {
    budget,
    reading: socket,
    tenant: () => ({ organizationId, projectId: 'p', credentialId: 'c' }),
    receiveBytes: (bytes) => {
      received += bytes
      return true
    },
    receiveFrames: () => true,
  })
  return {
    socket,
    parse,
    parsed: () => parsed / length,
    received: () => received,
    pause: () => paced.pause(),
    resume: () => paced.resume(),
  }
}

describe('the frames of a client', () => {
  it('are parsed at once when they are few', () => {
    const { socket, parsed } = connection(new TickBudget(), 'a')
    socket.write(frames(2))
    expect(parsed()).toBe(2)
  })

  it('are parsed over several ticks when they are many, all of them, in order', async () => {
    const { socket, parsed } = connection(new TickBudget(), 'a')
    socket.write(frames(5_000))
    expect(parsed()).toBeGreaterThan(8)
    expect(parsed()).toBeLessThan(500)
    let ticks = 0
    for (; parsed() < 5_000; ticks += 1) await nextTick()
    expect(ticks).toBeGreaterThan(10)
    socket.write(frames(1))
    expect(parsed()).toBe(5_001)
  })

  it('wait for those of other organizations in turn', async () => {
    const budget = new TickBudget()
    const hostile = Array.from({ length: 50 }, () => connection(budget, 'a'))
    for (const { socket } of hostile) socket.write(frames(2_000))
    const bystander = connection(budget, 'b')
    bystander.socket.write(frames(20))
    await nextTick()
    expect(bystander.parsed()).toBe(20)
    expect(Math.max(...hostile.map(({ parsed }) => parsed()))).toBeLessThan(1_000)
  })

  it('of many clients share a tick, although each has sent few', async () => {
    const budget = new TickBudget()
    const clients = Array.from({ length: 500 }, (_, at) => connection(budget, `organization ${at}`))
    const parsed = () => clients.reduce((sum, client) => sum + client.parsed(), 0)
    for (const { socket } of clients) socket.write(frames(2))
    expect(parsed()).toBe(400)
    while (parsed() < 1_000) await nextTick()
  })

  it('are read no further until those that have arrived are parsed', async () => {
    const { socket, parsed, received, pause, resume } = connection(new TickBudget(), 'a')
    socket.write(frames(1_000))
    socket.write(frames(1_000))
    pause()
    resume()
    await nextTick()
    expect([parsed() < 1_000, received() / length]).toEqual([true, 1_000])
    while (parsed() < 2_000) await nextTick()
  })

  it('wait while reading is paused', async () => {
    const { socket, parsed, pause, resume } = connection(new TickBudget(), 'a')
    socket.write(frames(1_000))
    pause()
    await nextTick()
    const before = parsed()
    await nextTick()
    expect(parsed()).toBe(before)
    resume()
    while (parsed() < 1_000) await nextTick()
  })

  it('are dropped, with all that follows them, when the connection closes', async () => {
    const { socket, parse, parsed, pause } = connection(new TickBudget(), 'a')
    // Like the library, which reads what a closed connection has left.
    socket.once('close', () => parse((socket.read() as Buffer | null) ?? Buffer.alloc(0)))
    pause()
    socket.write(frames(1_000))
    socket.write(frames(1_000))
    const before = parsed()
    socket.destroy()
    await once(socket, 'close')
    expect(parsed()).toBe(before)
  })
})
