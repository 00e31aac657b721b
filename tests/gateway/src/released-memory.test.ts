import { expect, it, vi } from 'vitest'
import { memoryFactors, MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { gatewayFixture } from './gateway-fixture.ts'
import { responseWithCallId } from '@fairlead/gateway-core/testing/with-call-id'

it('a gateway that was stopped with calls in flight releases all memory reservations', async () => {
  const ledgers = new Set<MemoryLedger>()
  const { reserve } = MemoryLedger.prototype
  vi.spyOn(MemoryLedger.prototype, 'reserve').mockImplementation(function record(
    this: MemoryLedger,
    ...parameters
  ) {
    ledgers.add(this)
    return reserve.apply(this, parameters)
  })
  const reserved = () => [...ledgers].reduce((sum, ledger) => sum + ledger.states().reserved, 0)
  let waiting = 0
  const upstream = await startTestNode(async (request, response) => {
    response.setHeader('content-type', 'application/json')
    // The second half is never sent.
    response.write(await responseWithCallId(request, '{"jsonrpc":"2.0","id":1,"result":"0x'))
    waiting += 1
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
  await vi.waitFor(() => expect(reserved()).toBeGreaterThan(2 * 100_000 * memoryFactors.request), {
    timeout: 50_000,
  })
  await gateway.stop()
  await Promise.all(calls)
  await vi.waitFor(() => expect(reserved()).toBe(0), { timeout: 50_000 })
}, 60_000)
