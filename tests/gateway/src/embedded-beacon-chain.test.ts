import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@fairlead/beacon/contract'
import type { Route } from '@fairlead/core'
import { startDevnet } from '@fairlead/devnet'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'

let directory: string
let node: string
let gateway: GatewayFixture
let stop: () => Promise<void>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-beacon-'))
  const devnet = await startDevnet({ dataDirectory: directory, chains: ['beacon'] })
  ;({ stop } = devnet)
  node = devnet.chains[0].url
  gateway = await gatewayFixture({}, 'http://127.0.0.1:9', { beacon: node })
}, 120_000)

afterAll(async () => {
  await gateway.stop()
  await stop()
  await rm(directory, { recursive: true, force: true })
})

interface ReceivedResponse {
  readonly status: number
  readonly type: string | null
  readonly fork: string | null
  readonly bytes: string
}

async function get(url: string, accept: string): Promise<ReceivedResponse> {
  const response = await fetch(url, { headers: { accept } })
  return {
    status: response.status,
    type: response.headers.get('content-type')?.split(';')[0] ?? null,
    fork: response.headers.get('eth-consensus-version'),
    bytes: Buffer.from(await response.arrayBuffer()).toString('base64'),
  }
}

// Values of the first slots do not change over time.
const values: Readonly<Record<string, string>> = {
  state_id: 'genesis',
  block_id: '1',
  validator_id: '1',
  epoch: '0',
}
const reads = Object.values<Route>(routes).filter(
  ({ method, path, query, pathParameters }) =>
    method === 'GET' &&
    path.startsWith('/eth/') &&
    !Object.values(query).some(({ required }) => required) &&
    Object.keys(pathParameters).every((name) => name in values),
)
// These return current state.
const moving = new Set([
  'getSyncingStatus',
  'getPeers',
  'getDebugChainHeadsV2',
  'getDebugForkChoice',
  'getBlockHeaders',
])

const pathOf = (route: Route) => route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')

it.each(reads)('$operationId returns the same through the gateway as directly', async (route) => {
  const path = pathOf(route)
  for (const accept of route.responses['200']?.mediaTypes ?? ['application/json']) {
    const direct = await get(`${node}${path}`, accept)
    const viaGateway = await get(`${gateway.url}/beacon/${gateway.first.token}${path}`, accept)
    const { bytes: _, ...head } = direct
    expect(viaGateway).toMatchObject(head)
    const isSame = direct.status === 200 && !moving.has(route.operationId) && !path.includes('/pool/')
    if (!isSame || viaGateway.bytes === direct.bytes) continue
    // A slot may have passed between the two requests.
    expect(viaGateway.bytes).toBe((await get(`${node}${path}`, accept)).bytes)
  }
})

it('responds with success to most of them', async () => {
  const statuses = await Promise.all(
    reads.map((route) =>
      get(`${node}${pathOf(route)}`, route.responses['200']?.mediaTypes?.[0] ?? 'application/json'),
    ),
  )
  expect(statuses.filter(({ status }) => status === 200).length / reads.length).toBeGreaterThan(0.7)
})

it('is part of the readiness check', async () => {
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
})

it('streams the events of the chain', async () => {
  const url = `${gateway.url}/beacon/${gateway.first.token}/eth/v1/events?topics=head&topics=block`
  const response = await fetch(url, { headers: { accept: 'text/event-stream' } })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (/^event: head$[^]*?^data: \{.*\}$/m.test(text) && /^event: block$/m.test(text)) break
  }
  expect(text).toMatch(/^data: \{.*"slot":"\d+"/m)
})
