import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { frameMessage } from '@fairlead/grpc-transport'
import { expect, it, onTestFinished, vi } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import { grpcInFrontOf, xToken } from '../testing/grpc-fixture.ts'
import { grpcJs } from '../testing/grpc-js-client.ts'
import { grpcNode } from '../testing/grpc-node.ts'

vi.setConfig({ testTimeout: 60_000 })

/** Opens a call whose responses are not read. */
function stalledReader(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/test.Test/Split',
    'content-type': 'application/grpc',
    te: 'trailers',
    'x-token': xToken,
  })
  stream.on('error', () => undefined)
  stream.end(frameMessage(Buffer.from('stalled')))
  return stream.pause()
}

it('ends the readers that stalled first when too many stall', async () => {
  const node = await grpcNode({
    split: async function* (request) {
      for (let count = 0; count < 20_000; count++) yield `${request} ${'x'.repeat(16_384)}`
    },
  })
  const gateway = await grpcInFrontOf(node.url, { maxStalledCalls: 2 })
  const session = connect(gateway.url, { settings: { initialWindowSize: 65_535 } })
  onTestFinished(() => session.destroy())
  session.on('error', () => undefined)
  const ended: number[] = []
  for (let count = 0; count < 4; count++) {
    const stream = stalledReader(session)
    stream.once('close', () => ended.push(count))
    await waitFor(async () => {
      expect(await gateway.sample('fairlead_grpc_open_calls')).toBe(String(count + 1))
    })
    // The window of the stream is exhausted.
    await waitFor(() => expect(stream.readableLength).toBe(65_535))
  }
  const reader = grpcJs(gateway.url).split('reads')
  await waitFor(() => expect(ended).toEqual([0, 1]))
  await waitFor(() => expect(reader.messages.length).toBeGreaterThan(2_000))
  expect(ended).toEqual([0, 1])
  reader.call.cancel()
  expect(await gateway.metrics()).toMatch(
    /fairlead_grpc_calls_total\{[^}]*status="RESOURCE_EXHAUSTED"[^}]*\} 2/,
  )
})

it('twenty stalled readers buffer little and do not delay other calls', async () => {
  let sent = 0
  const large = 'x'.repeat(16_384)
  const node = await grpcNode({
    split: async function* (request) {
      for (let count = 0; count < 200_000; count++) {
        if (request === 'stalled') sent += large.length
        yield large
      }
    },
  })
  const gateway = await grpcInFrontOf(node.url)
  // All on one connection, on which another reader continues.
  const session = connect(gateway.url, { settings: { initialWindowSize: 65_535 } })
  onTestFinished(() => session.destroy())
  session.on('error', () => undefined)
  session.once('connect', () => session.setLocalWindowSize(32 << 20))
  for (let count = 0; count < 20; count++) {
    stalledReader(session)
  }
  await waitFor(() => expect(sent).toBeGreaterThan(0))
  // No more messages are sent while other calls complete.
  const other = grpcJs(gateway.url)
  await waitFor(async () => {
    const before = sent
    for (let call = 0; call < 20; call++) await other.one('a')
    expect(sent).toBe(before)
  })
  // On both sides of the gateway and in it: the window of the upstream stream, and what the buffers hold.
  expect(sent / 20).toBeLessThan(6 << 20)
  const passed = Number(await gateway.sample('fairlead_grpc_bytes_total{direction="out"}'))
  expect(passed / 20).toBeLessThan(1 << 20)
  const reader = grpcJs(gateway.url).split('reads')
  await waitFor(() => expect(reader.messages.length).toBeGreaterThan(2_000))
  reader.call.cancel()
  const { messages } = await grpcJs(gateway.url).one('a')
  expect(messages).toEqual(['one a'])
  session.destroy()
  await waitFor(async () => expect(await gateway.sample('fairlead_grpc_open_calls')).toBe('0'))
  await waitFor(() => expect(node.openCalls).toBe(0))
})

it('ends a stalled reader whose owner may not hold more memory', async () => {
  const node = await grpcNode({
    split: async function* (request) {
      for (let count = 0; count < 20_000; count++) yield `${request} ${'x'.repeat(16_384)}`
    },
  })
  let reserved = 0
  let capacity = 1 << 20
  const set = (bytes: number) => {
    if (bytes > capacity) return false
    reserved = bytes
    return true
  }
  const memory = {
    reserve: () => ({
      tryTake: (bytes: number) => (set(reserved + bytes) ? undefined : {}),
      resize: set,
      moveTo: () => true,
      release: () => void (reserved = 0),
    }),
  }
  const gateway = await grpcInFrontOf(node.url, { memory })
  const session = connect(gateway.url, { settings: { initialWindowSize: 65_535 } })
  onTestFinished(() => session.destroy())
  session.on('error', () => undefined)
  await once(stalledReader(session), 'close')
  await waitFor(() => expect(reserved).toBe(0))
  expect(await gateway.metrics()).toMatch(
    /fairlead_grpc_calls_total\{[^}]*status="RESOURCE_EXHAUSTED"[^}]*\} 1/,
  )
  capacity = 10_000
  const { status } = await grpcJs(gateway.url).one('a')
  expect(status).toMatchObject({
    code: 8,
    details: 'The gateway has reached its memory limit. Try again later.',
  })
  expect(node.openCalls).toBe(0)
})
