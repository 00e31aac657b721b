import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { Deadlines } from '@fairlead/gateway-core/http/deadlines'
import { HttpContext } from '@fairlead/gateway-core/http/http-context'
import { serve } from '@fairlead/gateway-core/testing/serve'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import type { TickSource } from '@fairlead/runtime'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { respondWith } from '@fairlead/gateway-core/testing/with-call-id'

let node: Awaited<ReturnType<typeof serve>>
let gateway: GatewayFixture

beforeAll(async () => {
  node = await serve(respondWith('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  gateway = await gatewayFixture({}, node.url, { beacon: node.url })
}, 60_000)
afterAll(async () => {
  await gateway.stop()
  await node.stop()
})
afterEach(() => vi.restoreAllMocks())

const rpc = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'

/** Blocks the event loop once, when a method is called, by default with any arguments. */
function blockIn<key extends string>(
  object: Record<key, (...args: never[]) => unknown>,
  method: key,
  isMeant: (argument: unknown) => boolean = () => true,
): void {
  const original = object[method] as (...args: unknown[]) => unknown
  let isDone = false
  vi.spyOn(object as Record<string, (...args: unknown[]) => unknown>, method).mockImplementation(function (
    this: unknown,
    ...args: unknown[]
  ) {
    if (!isDone && isMeant(args[0])) {
      isDone = true
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
    return original.apply(this, args)
  })
}

it.each<readonly [TickSource, () => Promise<unknown>]>([
  [
    'http1',
    async () => {
      blockIn(HttpContext.prototype, 'serve')
      const headers = { 'content-type': 'application/json' }
      await fetch(`${gateway.url}/${gateway.first.token}`, { method: 'POST', headers, body: rpc })
    },
  ],
  [
    'http',
    async () => {
      blockIn(HttpContext.prototype, 'serve')
      await fetch(`${gateway.url}/beacon/${gateway.first.token}/eth/v1/node/version`)
    },
  ],
  [
    'websocket',
    async () => {
      const client = await openWebSocket(`${gateway.url.replace('http', 'ws')}/ws/${gateway.first.token}`)
      blockIn(Deadlines.prototype, 'begin')
      await client.call('eth_gasPrice', [])
      client.socket.close()
    },
  ],
  [
    'platform',
    async () => {
      const body = '{"name":"x"}'
      blockIn(JSON, 'parse', (text) => text === body)
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${gateway.first.apiKey}` }
      await fetch(`${gateway.url}/v2/projects/`, { method: 'POST', headers, body })
    },
  ],
])('a tick of %s that blocks the event loop is counted with its source', async (source, block) => {
  const ticks = async () => {
    const series = `fairlead_event_loop_long_tick_seconds_count{source="${source}"} `
    const lines = (await gateway.registry.metrics()).split('\n')
    return Number(lines.find((line) => line.startsWith(series))?.slice(series.length) ?? 0)
  }
  const before = await ticks()
  await block()
  await vi.waitFor(async () => expect(await ticks()).toBeGreaterThan(before))
})
