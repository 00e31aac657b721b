import { expect, it, vi } from 'vitest'
import { MemoryBudget } from '@fairlead/gateway-core/memory/memory-budget'
import { nodeThat } from '@fairlead/gateway-core/testing/serve'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { gatewayFixture } from './gateway-fixture.ts'

const { take, release } = MemoryBudget.prototype

it('a gateway that was stopped with calls in flight holds no memory', async () => {
  let held = 0
  let most = 0
  vi.spyOn(MemoryBudget.prototype, 'take').mockImplementation(function count(
    this: MemoryBudget,
    bytes,
    owner,
  ) {
    const isTaken = take.call(this, bytes, owner)
    if (isTaken) held += bytes
    most = Math.max(most, held)
    return isTaken
  })
  vi.spyOn(MemoryBudget.prototype, 'release').mockImplementation(function count(
    this: MemoryBudget,
    bytes,
    owner,
  ) {
    held -= bytes
    release.call(this, bytes, owner)
  })
  let waiting = 0
  const upstream = await nodeThat((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json')
      // The second half is never sent.
      response.write('{"jsonrpc":"2.0","id":1,"result":"0x')
      waiting += 1
    })
  })
  const gateway = await gatewayFixture({ FAIRLEAD_OWN_HTTP_FRONT: 'true' }, upstream)
  const url = `${gateway.url}/${gateway.first.token}`
  const call = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
  const body = `[${call},${call.replace('"id":1', '"id":2')}${' '.repeat(100_000)}]`
  const headers = { 'content-type': 'application/json', 'x-other': 'read by node:http' }
  const calls = [1, 2].map(() => fetch(url, { method: 'POST', body, headers }).catch(() => undefined))
  const socket = await openWebSocket(`${gateway.url.replace('http', 'ws')}/ws/${gateway.first.token}`)
  socket.socket.send(body)
  await vi.waitFor(() => expect(waiting).toBeGreaterThan(0), { timeout: 50_000 })
  await vi.waitFor(() => expect(held).toBeGreaterThan(200_000), { timeout: 50_000 })
  await gateway.stop()
  await Promise.all(calls)
  expect(most).toBeGreaterThan(200_000)
  await vi.waitFor(() => expect(held).toBe(0), { timeout: 50_000 })
}, 60_000)
