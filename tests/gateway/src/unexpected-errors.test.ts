import { once } from 'node:events'
import { connect } from 'node:http2'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { connectionsTo, plain, post, scriptedUpstream } from '@fairlead/http1/testing/scripted-upstream'
import { Deadlines } from '@fairlead/gateway-core/http/deadlines'
import { grpcInFrontOf } from '@fairlead/gateway-grpc/testing/grpc-fixture'
import { grpcJs } from '@fairlead/gateway-grpc/testing/grpc-js-client'
import { grpcNode } from '@fairlead/gateway-grpc/testing/grpc-node'
import { HttpContext } from '@fairlead/gateway-core/http/http-context'
import { memory } from '@fairlead/gateway-core/testing/memory'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { serve } from '@fairlead/gateway-core/testing/serve'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { pino } from 'pino'
import { createGrpcMetrics } from '@fairlead/gateway-grpc/metrics'
import { testMetrics } from '@fairlead/gateway-core/testing/test-metrics'
import { type ErrorSource, guardedImmediate, guardedInterval, guardedTimeout } from '@fairlead/runtime'
import { watchUnexpectedErrors } from '@fairlead/gateway/testing/watch-unexpected-errors'
import { respondWith } from '@fairlead/gateway-core/testing/with-call-id'

let node: Awaited<ReturnType<typeof serve>>
let gateway: GatewayFixture
let registry: Registry
let log: ReturnType<typeof memory>
let endWatch: () => void

beforeAll(async () => {
  node = await serve(respondWith('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  gateway = await gatewayFixture({}, node.url, { beacon: node.url })
}, 60_000)
afterAll(async () => {
  await gateway.stop()
  await node.stop()
})

const fault = () => {
  throw new Error('a handler failed')
}

/** Counts what the guards report from now on. */
function watch(): void {
  registry = new Registry()
  log = memory()
  endWatch = watchUnexpectedErrors(registry, pino({ level: 'debug' }, log.stream))
}
afterEach(() => {
  endWatch()
  vi.restoreAllMocks()
})

/** Expects that this guard has caught, counted and logged exactly one error. */
async function expectOne(source: ErrorSource): Promise<void> {
  await vi.waitFor(async () =>
    expect(await registry.metrics()).toContain(`fairlead_unexpected_errors_total{source="${source}"} 1\n`),
  )
  const lines = log.text().trim().split('\n')
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ source, error: { message: 'a handler failed' } })
}

const rpc = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
const call = () =>
  fetch(`${gateway.url}/${gateway.first.token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: rpc,
  })

it('http1: a call that throws closes only its connection', async () => {
  watch()
  vi.spyOn(HttpContext.prototype, 'serve').mockImplementationOnce(fault)
  await expect(call()).rejects.toThrow()
  await expectOne('http1')
  expect((await call()).status).toBe(200)
})

it('http: a request that throws gets a 500 with its id', async () => {
  watch()
  vi.spyOn(HttpContext.prototype, 'serve').mockImplementationOnce(fault)
  // Not keep-alive: a connection that node:http took over would also serve the calls of other tests.
  const headers = { connection: 'close' }
  const response = await fetch(`${gateway.url}/beacon/${gateway.first.token}/eth/v1/node/version`, {
    headers,
  })
  expect(response.status).toBe(500)
  const requestId = response.headers.get('x-request-id')
  expect(await response.json()).toMatchObject({ error: { code: 'server_error', request_id: requestId } })
  await expectOne('http')
  expect(JSON.parse(log.text())).toMatchObject({ request_id: requestId })
})

it('http2: a stream that throws is reset, others of its connection continue', async () => {
  watch()
  let requests = 0
  const grpc = await grpcInFrontOf((await grpcNode()).url, {
    fallback: (stream) => {
      if (++requests === 1) fault()
      stream.respond({ ':status': 204 }, { endStream: true })
    },
  })
  const session = connect(grpc.url)
  const [first, second] = [session.request({ ':path': '/a' }), session.request({ ':path': '/b' })]
  await Promise.all([
    once(first, 'error').then(([error]) => expect(error).toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' })),
    once(second, 'response').then(([headers]) => expect(headers[':status']).toBe(204)),
  ])
  session.close()
  await expectOne('http2')
})

it('grpc: a call that throws ends, others continue', async () => {
  watch()
  const metrics = createGrpcMetrics(testMetrics().registry)
  const inc = vi.fn<() => void>().mockImplementationOnce(fault)
  const grpc = await grpcInFrontOf((await grpcNode()).url, { metrics: { ...metrics, bytesOut: { inc } } })
  const client = grpcJs(grpc.url)
  expect((await client.one('a')).status.code).not.toBe(0)
  expect((await client.one('b')).status.code).toBe(0)
  await expectOne('grpc')
})

it('websocket: a message that throws closes its connection with 1011', async () => {
  watch()
  const url = `${gateway.url.replace('http', 'ws')}/ws/${gateway.first.token}`
  const [failing, healthy] = await Promise.all([openWebSocket(url), openWebSocket(url)])
  vi.spyOn(Deadlines.prototype, 'begin').mockImplementationOnce(fault)
  failing.socket.send(rpc)
  expect(await failing.closed).toEqual([1011, 'unexpected error'])
  expect(await healthy.call('eth_blockNumber', [])).toMatchObject({ result: '0x1' })
  healthy.socket.close()
  await expectOne('websocket')
})

it('upstream: a response whose handler throws closes its upstream connection', async () => {
  watch()
  const upstream = await scriptedUpstream(({ socket }) => socket.write(plain('{}')))
  const connections = connectionsTo(upstream.url)
  const request = post('{}')
  connections.exchange(request, fault)
  await expectOne('upstream')
  expect((await connections.request(request)).status).toBe(200)
})

it.each([
  ['an interval', () => guardedInterval(fault, 1)],
  ['a timeout', () => guardedTimeout(fault, 1)],
  ['an immediate', () => guardedImmediate(fault)],
] as const)('timer: %s that throws ends nothing', async (_, start) => {
  vi.useFakeTimers()
  watch()
  const timer = start()
  vi.advanceTimersByTime(1)
  clearInterval(timer as NodeJS.Timeout)
  vi.useRealTimers()
  await expectOne('timer')
})
