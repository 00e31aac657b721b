import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { sendInChunks } from './send-in-chunks.ts'

it('a client that does not read holds one chunk, without a copy', () => {
  const content = Buffer.alloc(1_000_000, 'x')
  const received: Buffer[] = []
  const stream = new Writable({
    highWaterMark: 16_384,
    write: (chunk: Buffer) => void received.push(chunk),
  })
  sendInChunks(stream, content)
  expect(stream.writableLength).toBeLessThanOrEqual(65_536)
  expect(received[0]?.buffer).toBe(content.buffer)
})

it.each([0, 1, 65_536, 65_537, 1_000_000])('a client that reads receives all %d bytes', async (length) => {
  const content = Buffer.alloc(length, 'x')
  const received: Buffer[] = []
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      received.push(chunk)
      setImmediate(done)
    },
  })
  sendInChunks(stream, content)
  await new Promise((resolve) => stream.once('finish', resolve))
  expect(Buffer.concat(received).equals(content)).toBe(true)
})
