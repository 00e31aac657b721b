import { expect, it, vi } from 'vitest'
import { MemoryBudget } from '@fairlead/gateway-core/memory/memory-budget'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { gatewayFixture } from './gateway-fixture.ts'

const { take, release } = MemoryBudget.prototype

it('a gateway that was stopped with calls in flight releases all memory reservations', async () => {
  let reserved = 0
  let peak = 0
  vi.spyOn(MemoryBudget.prototype, 'take').mockImplementation(function count(
    this: MemoryBudget,
    bytes,
    owner,
  ) {
    const isReserved = take.call(this, bytes, owner)
    if (isReserved) reserved += bytes
    peak = Math.max(peak, reserved)
    return isReserved
  })
  vi.spyOn(MemoryBudget.prototype, 'release').mockImplementation(function count(
    this: MemoryBudget,
    bytes,
    owner,
  ) {
    reserved -= bytes
    release.call(this, bytes, owner)
  })
  let waiting = 0
  const upstream = await startTestNode((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json')
      // The second half is never sent.
      response.write('{"jsonrpc":"2.0","id":1,"result":"0x')
      waiting += 1
    })
  })
  const gateway = await gatewayFixture({ FAIRLEAD_BUILTIN_HTTP_SERVER: 'true' }, upstream)
  const url = `${gateway.url}/${gateway.first.token}`
  const call = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
  const body = `[${call},${call.replace('"id":1', '"id":2')}${' '.repeat(100_000)}]`
  const headers = { 'content-type': 'application/json', 'x-other': 'read by node:http' }
  const calls = [1, 2].map(() => fetch(url, { method: 'POST', body, headers }).catch(() => undefined))
  const socket = await openWebSocket(`${gateway.url.replace('http', 'ws')}/ws/${gateway.first.token}`)
  socket.socket.send(body)
  await vi.waitFor(() => expect(waiting).toBeGreaterThan(0), { timeout: 50_000 })
  await vi.waitFor(() => expect(reserved).toBeGreaterThan(200_000), { timeout: 50_000 })
  await gateway.stop()
  await Promise.all(calls)
  expect(peak).toBeGreaterThan(200_000)
  await vi.waitFor(() => expect(reserved).toBe(0), { timeout: 50_000 })
}, 60_000)
