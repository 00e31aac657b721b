import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { drawFrom } from '@fairlead/http1/testing/generated-messages'
import { everyPath, generatedRequest } from './generated-requests.ts'
import { clientStart, framesOf, isResponse, settingsAck } from '@fairlead/gateway-grpc/testing/raw-http2'
import { gatewayFixture } from './gateway-fixture.ts'
import { serve } from '@fairlead/gateway-core/testing/serve'

// A longer run: HTTP2_FUZZ_REQUESTS=1000000 HTTP2_FUZZ_SEED=2 vitest run http2-requests.fuzz
const requests = Number(process.env['HTTP2_FUZZ_REQUESTS'] ?? 4_000)
const seed = Number(process.env['HTTP2_FUZZ_SEED'] ?? 1)
const perConnection = 50
// A request whose body never ends receives no response before its deadline.
const maxWaitMs = 2_000

// The response of one node for all protocols, by the start of the path.
const configuration = {
  config: { bytes: 'te6cckEBAQEAEgAAIAABAAAAAIAAAAAgAAAAgAAP3PIs' },
} as const
const syncing = {
  head_slot: '1',
  sync_distance: '0',
  is_syncing: false,
  is_optimistic: false,
  el_offline: false,
}
const contents = [
  ['/api/v2', { ok: true, result: configuration }],
  ['/api/v3', { jetton_burns: [], jetton_masters: [] }],
  ['/eth', { data: syncing }],
  ['/', { jsonrpc: '2.0', id: 1, result: '0x1' }],
] as const

it('no request over HTTP/2 terminates the process or gets a 5xx', { timeout: 3_600_000 }, async () => {
  const node = await serve((request, response) => {
    request.resume()
    if (request.url?.startsWith('/eth/v1/events')) {
      response.setHeader('content-type', 'text/event-stream').write(': open\n\n')
      return
    }
    const content = contents.find(([prefix]) => request.url?.startsWith(prefix))?.[1]
    response.setHeader('content-type', 'application/json').end(JSON.stringify(content))
  })
  const gateway = await gatewayFixture(
    {
      FAIRLEAD_MAX_UNKNOWN_CREDENTIALS: '1000000',
      FAIRLEAD_LOG_REQUESTS: 'none',
      // The rates of an address do not apply to a proxy.
      FAIRLEAD_TRUSTED_PROXIES: '127.0.0.1',
    },
    node.url,
    { beacon: node.url, jetton: node.url },
  )
  onTestFinished(async () => {
    await gateway.stop()
    await node.stop()
  })
  let sent = 0
  let routed = 0
  const statuses = new Map<string, number>()
  const crashes: string[] = []
  const onStart = () => void (routed += 1)
  const onFinish = (message: unknown) => {
    const { headers } = message as { readonly headers: Record<string, unknown> }
    const status = String(headers[':status'])
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const onCrash = (error: unknown) => void crashes.push(`after ${sent} requests: ${String(error)}`)
  subscribe('http2.server.stream.start', onStart)
  subscribe('http2.server.stream.finish', onFinish)
  process.on('uncaughtExceptionMonitor', onCrash)
  onTestFinished(() => {
    unsubscribe('http2.server.stream.start', onStart)
    unsubscribe('http2.server.stream.finish', onFinish)
    process.off('uncaughtExceptionMonitor', onCrash)
  })
  const draw = drawFrom(seed)
  const paths = everyPath(gateway.first.token)
  const { apiKey, username, password } = gateway.first
  const credentials = [
    ['authorization', `Bearer ${apiKey}`],
    ['authorization', `Basic ${btoa(`${username}:${password}`)}`],
    ['x-token', gateway.first.token],
  ] as const
  const port = Number(new URL(gateway.url).port)
  while (sent < requests && crashes.length === 0) {
    const count = Math.min(perConnection, requests - sent)
    const frames = Array.from({ length: count }, (_, index) =>
      generatedRequest(draw, paths, credentials, 2 * index + 1),
    )
    sent += count
    await waitForResponses(port, frames)
  }
  const fatal = [...statuses].filter(([status]) => status.startsWith('5'))
  const share = Math.round((100 * routed) / sent)
  const successes = [...statuses].reduce(
    (sum, [status, count]) => sum + (status.startsWith('2') ? count : 0),
    0,
  )
  process.stdout.write(
    `${sent} requests, seed ${seed}: ${share} % reached the router, ${successes} responses 2xx\n`,
  )
  expect({ crashes, fatal, unexpected: await unexpectedErrors(gateway.registry) }).toEqual({
    crashes: [],
    fatal: [],
    unexpected: 0,
  })
  expect(share).toBeGreaterThan(50)
})

/** Sends requests on one connection. Resolves when each was answered or reset, or when the connection is closed. */
async function waitForResponses(port: number, frames: readonly Buffer[]): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const openStreams = new Set(frames.map((_, index) => 2 * index + 1))
  let unread = Buffer.alloc(0)
  const done = new AbortController()
  socket.on('error', () => undefined)
  socket.on('close', () => done.abort())
  socket.on('data', (bytes: Buffer) => {
    const parsed = framesOf(Buffer.concat([unread, bytes]))
    unread = parsed.rest as Buffer<ArrayBuffer>
    for (const frame of parsed.frames) if (isResponse(frame)) openStreams.delete(frame.streamId)
    if (openStreams.size === 0) done.abort()
  })
  socket.write(Buffer.concat([clientStart, settingsAck, ...frames]))
  const timeout = setTimeout(() => done.abort(), maxWaitMs)
  await once(done.signal, 'abort')
  clearTimeout(timeout)
  socket.destroy()
}

async function unexpectedErrors(registry: { metrics(): Promise<string> }): Promise<number> {
  const text = await registry.metrics()
  const samples = [...text.matchAll(/^fairlead_unexpected_errors_total\{.*\} (\d+)$/gm)]
  return samples.reduce((sum, [, value]) => sum + Number(value), 0)
}
