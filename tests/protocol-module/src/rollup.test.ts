import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { deleteAccessRule, insertAccessRule } from '@fairlead/platform-server/records/access-rules'
import { putLimits } from '@fairlead/platform-server/records/limits'
import { type RollupGateway, rollupGateway } from './rollup-gateway.ts'
import { rollupModule } from './rollup.ts'

const later = { timeout: 50_000 }

let gateway: RollupGateway

beforeAll(async () => {
  gateway = await rollupGateway()
}, 60_000)

afterAll(() => gateway.stop())

it('is served with the other protocols, in the format of its API', async () => {
  const { call, url, first } = gateway
  const status = await call('/status')
  expect([status.status, await status.json()]).toEqual([200, { height: 7 }])
  expect(await (await call('/blocks/7')).json()).toEqual({ number: 7 })
  const unknown = await call('/other')
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    { error: { status: 404, message: 'The rollup API has no such path.' } },
  ])
  const unauthenticated = await fetch(`${url}/unknown-token/rollup/status`)
  expect([unauthenticated.status, await unauthenticated.json()]).toMatchObject([
    401,
    { error: { status: 401 } },
  ])
  // The token grants access to no other protocol.
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
  const headers = { 'content-type': 'application/json' }
  const evm = await fetch(`${url}/${first.token}`, { method: 'POST', body, headers })
  expect(evm.status).toBe(404)
})

it('applies an access rule', async () => {
  const { call, store, first } = gateway
  const rule = {
    nodeId: first.nodeId,
    kind: 'method',
    value: 'getBlock',
    action: 'deny',
    active: true,
  } as const
  const id = await insertAccessRule(store.db, rule)
  await vi.waitFor(async () => expect((await call('/blocks/7')).status).toBe(403), later)
  expect((await call('/status')).status).toBe(200)
  await deleteAccessRule(store.db, id)
  await vi.waitFor(async () => expect((await call('/blocks/7')).status).toBe(200), later)
})

it('applies a rate limit', async () => {
  const { call, store, first } = gateway
  const owner = { kind: 'node', id: first.nodeId } as const
  await putLimits(store.db, owner, { rate: { requestsPerSecond: 1, burst: 1 } })
  await vi.waitFor(async () => expect((await call('/status')).status).toBe(429), later)
  await putLimits(store.db, owner, undefined)
  await vi.waitFor(async () => {
    const statuses = await Promise.all([1, 2, 3].map(async () => (await call('/status')).status))
    expect(statuses).toEqual([200, 200, 200])
  }, later)
})

it('appears in the metrics, the usage report, traces and the log', async () => {
  const { call, metrics, url, first, traces, log } = gateway
  await call('/status')
  expect(await metrics()).toMatch(
    /fairlead_node_requests_total\{protocol="rollup",method="getStatus",status="2xx"\} \d/,
  )
  await vi.waitFor(async () => {
    const response = await fetch(`${url}/v2/reporting/node-usage/export/?group_by=method`, {
      headers: { authorization: `Bearer ${first.apiKey}` },
    })
    expect(await response.text()).toMatch(/,rollup,.*,getStatus,/)
  }, later)
  await vi.waitFor(() => expect(traces()).toMatch(/"rollup"[^]*getStatus|getStatus[^]*"rollup"/), later)
  expect(log()).toMatch(/"method":"getStatus","status":200/)
})

it('is part of the health check and of reconfiguration', async () => {
  const { call, url, setNotice } = gateway
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  expect((await call('/status')).headers.get('x-notice')).toBe('one')
  setNotice('two')
  expect((await call('/status')).headers.get('x-notice')).toBe('two')
  setNotice('one')
})

it('is served while the gateway drains, and closes with it', async () => {
  const draining = await rollupGateway()
  onTestFinished(() => draining.stop())
  draining.drain()
  expect((await fetch(`${draining.url}/readyz`)).status).toBe(503)
  expect((await draining.call('/status')).status).toBe(200)
  await draining.stopGateway()
  await expect(draining.call('/status')).rejects.toThrow()
})

it('prevents the start of the gateway when it cannot be opened', async () => {
  const failing = { ...rollupModule, load: () => Promise.reject(new Error('not loaded')) }
  await expect(rollupGateway([rollupModule, failing])).rejects.toThrow('not loaded')
  await expect(rollupGateway([rollupModule, rollupModule])).rejects.toThrow('Two routes have the pattern')
})
