import { afterEach, expect, it } from 'vitest'
import { frameMessage } from '../wire/frame.ts'
import {
  callFields,
  flag,
  frame,
  frameType,
  headerBlock,
  hostilePeer,
  preface,
  uint32,
} from './testing/frames.ts'
import { closeAll, grpcJsClient, serveText } from './testing/text-service.ts'

afterEach(closeAll)

/** Pseudorandom numbers that are the same in each run (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const message = frame(frameType.data, flag.endStream, 1, frameMessage(Buffer.from('hello')))

const conversation: readonly Buffer[] = [
  frame(frameType.settings, 0, 0),
  frame(frameType.settings, flag.ack, 0),
  frame(frameType.windowUpdate, 0, 0, uint32(1_000)),
  frame(frameType.headers, flag.endHeaders, 1, headerBlock(callFields('/test.Text/One'))),
  message,
  frame(frameType.headers, flag.endHeaders, 3, headerBlock(callFields('/test.Text/Talk'))),
  frame(frameType.data, 0, 3, frameMessage(Buffer.from('hello'))),
  frame(frameType.priority, 0, 3, Buffer.alloc(5)),
  frame(frameType.ping, 0, 0, Buffer.alloc(8)),
  frame(frameType.reset, 0, 3, uint32(8)),
]

it('a server survives 600 connections with corrupted bytes, frames and endings', async () => {
  const faults: unknown[] = []
  const server = await serveText(
    {
      one: (request) => request,
      async *talk(requests) {
        for await (const request of requests) yield request
      },
    },
    {
      onFault: (error) => faults.push(error),
      http2: { keepaliveMs: 20, keepaliveTimeoutMs: 50, handshakeTimeoutMs: 50 },
    },
  )
  const below = numbers(7)
  for (let round = 0; round < 60; round++) {
    const peers = Array.from({ length: 10 }, async () => {
      const frames = [...conversation]
      // Frames are reordered, duplicated or dropped; then single bytes change.
      for (let times = below(3); times > 0; times--) {
        frames.splice(below(frames.length), below(2), frames[below(frames.length)] ?? Buffer.alloc(0))
      }
      const bytes = Buffer.concat([preface, ...frames])
      for (let times = below(4); times > 0; times--) bytes[24 + below(bytes.length - 24)] = below(256)
      const peer = await hostilePeer(server.url, bytes.subarray(0, 24 + below(2 * bytes.length)))
      if (below(2) === 0) peer.socket.end()
      await peer.ended
    })
    await Promise.all(peers)
  }
  await expect.poll(() => server.openCalls).toBe(0)
  // On a busy machine a normal client may exceed limits this short too; the next attempt succeeds.
  await expect.poll(() => grpcJsClient(server).one('hello').catch(String)).toBe('hello')
  expect(faults).toEqual([])
})
