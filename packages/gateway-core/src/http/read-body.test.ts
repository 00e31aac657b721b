import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { collectGarbage } from '@fairlead/vitest/collect-garbage'
import { expect, it, onTestFinished, vi } from 'vitest'
import { serve } from '../testing/serve.ts'
import { readBody } from './read-body.ts'

const maxBytes = 4 << 20

it('holds nothing of a rejected body while its connection stays open', async () => {
  const rejections: unknown[] = []
  const toError = (status: number, message: string) => new Error(`${status} ${message}`)
  const server = await serve((request) => {
    readBody(request, { maxBytes, toError, reserve: () => undefined }).catch((error: unknown) =>
      rejections.push(error),
    )
  })
  onTestFinished(() => server.stop())
  const body = gzipSync(Buffer.alloc(16 << 20))
  const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`
  const before = heldBytes()
  for (let count = 1; count <= 20; count += 1) {
    const client = connect(Number(new URL(server.url).port), '127.0.0.1')
    onTestFinished(() => void client.destroy())
    client.write(head)
    client.write(body)
    await vi.waitFor(() => expect(rejections).toHaveLength(count))
  }
  expect(rejections).toContainEqual(new Error(`413 The request body must have at most ${maxBytes} bytes.`))
  expect(heldBytes() - before).toBeLessThan(maxBytes)
})

function heldBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}
