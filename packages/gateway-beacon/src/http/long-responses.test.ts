import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type BeaconFixture, beaconInFrontOf, beaconToken } from '../testing/beacon-fixture.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { collectGarbage } from '@fairlead/vitest/collect-garbage'
import { waitFor } from '@fairlead/vitest/wait-for'

// Transferring hundreds of megabytes is slow on a busy machine.
describe('a response of 50 MB', { timeout: 60_000 }, () => {
  const block = randomBytes(1_048_576)
  const blockCount = 50

  /** An upstream that sends as fast as the gateway reads, and counts the bytes. */
  async function largeUpstream() {
    const sent = { bytes: 0, aborted: false }
    const url = await startTestNode(async (_, response) => {
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': blockCount * block.length,
      })
      async function* counted() {
        for (let index = 0; index < blockCount; index++) {
          yield block
          sent.bytes += block.length
        }
      }
      // A client that disconnects is part of the tests.
      await pipeline(counted, response).catch(() => {
        sent.aborted = true
      })
    })
    return { url, sent }
  }

  async function open(gateway: BeaconFixture): Promise<IncomingMessage> {
    const headers = { accept: 'application/octet-stream' }
    const target = `${gateway.url}/beacon/${beaconToken}/eth/v2/debug/beacon/states/head`
    const [response] = (await once(get(target, { headers }), 'response')) as [IncomingMessage]
    onTestFinished(() => void response.destroy())
    return response
  }

  it('streams byte for byte, with backpressure from the client', async () => {
    const { url, sent } = await largeUpstream()
    const gateway = await beaconInFrontOf(url)
    const response = await open(gateway)
    // Meanwhile, another client reads a complete response.
    const other = await beaconInFrontOf((await largeUpstream()).url)
    for await (const chunk of await open(other)) void chunk
    // The bytes in flight are in the sockets of three parties; the gateway itself buffers almost nothing.
    expect(sent.bytes).toBeLessThan(20 * block.length)
    const received = createHash('sha256')
    for await (const chunk of response) received.update(chunk as Buffer)
    const expected = createHash('sha256')
    for (let index = 0; index < blockCount; index++) expected.update(block)
    expect(received.digest('hex')).toBe(expected.digest('hex'))
    expect(response.headers['content-length']).toBe(String(blockCount * block.length))
  })

  it('does not increase memory usage', async () => {
    const { url } = await largeUpstream()
    const gateway = await beaconInFrontOf(url)
    collectGarbage()
    const before = process.memoryUsage().arrayBuffers
    let max = 0
    for (let round = 0; round < 4; round++) {
      let received = 0
      let samples = 0
      for await (const chunk of await open(gateway)) {
        received += (chunk as Buffer).length
        if (received < samples * 5 * block.length) continue
        samples += 1
        collectGarbage()
        max = Math.max(max, process.memoryUsage().arrayBuffers - before)
      }
    }
    // 200 MB have passed through; upstream, gateway and client all run in this process.
    expect(max / block.length).toBeLessThan(blockCount / 2)
  })

  it('is aborted when the client stops reading', async () => {
    const { url, sent } = await largeUpstream()
    const gateway = await beaconInFrontOf(url, { timeoutMs: 300 })
    const response = await open(gateway)
    await waitFor(() => sent.aborted)
    await expect(
      (async () => {
        for await (const chunk of response) void chunk
      })(),
    ).rejects.toThrow()
  })
})
