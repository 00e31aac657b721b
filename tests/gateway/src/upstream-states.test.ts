import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { grpcNode, startGrpcNode } from '@fairlead/gateway-grpc/testing/grpc-node'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { gatewayFixture } from './gateway-fixture.ts'

const patience = { timeout: 50_000 }

/** Starts a node that serves both the beacon API and the TON API, with the given head. */
async function restNode(head: number) {
  const node = createServer((request, response) => {
    const { url = '' } = request
    const content = url.endsWith('/syncing')
      ? { data: { head_slot: String(head), sync_distance: '0', is_syncing: false } }
      : url.startsWith('/eth/')
        ? { data: { root: '0x00' } }
        : url.startsWith('/api/v3/')
          ? { last: { seqno: head } }
          : { ok: true, result: { last: { seqno: head } } }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(content))
  }).listen(0, '127.0.0.1')
  await once(node, 'listening')
  onTestFinished(() => stop(node))
  return { node, url: `http://127.0.0.1:${(node.address() as AddressInfo).port}` }
}

async function stop(node: Server): Promise<void> {
  node.closeAllConnections()
  if (node.listening) await new Promise((resolve) => node.close(resolve))
}

interface CreatedNode {
  readonly id: string
  readonly credentials: readonly { readonly kind: string; readonly token: string }[]
}

it('the API lists the health of the upstreams of every protocol', async () => {
  const [current, lagging, otherChain] = [await restNode(100), await restNode(90), await restNode(7)]
  const [grpc, stopped] = [await grpcNode(), await startGrpcNode()]
  await stopped.stop()
  const gateway = await gatewayFixture({}, 'http://127.0.0.1:1')
  onTestFinished(gateway.stop)
  const { url, first } = gateway
  const api = async (path: string, body?: object) => {
    const response = await fetch(`${url}/v2/nodes/${path}`, {
      method: body ? 'POST' : 'GET',
      body: body ? JSON.stringify(body) : null,
      headers: { authorization: `Bearer ${first.apiKey}`, 'content-type': 'application/json' },
    })
    expect(response.status).toBeLessThan(300)
    return response.json()
  }
  const create = async (chain: string, upstreams: Readonly<Record<string, string>>) =>
    (await api('', {
      project: first.projectId,
      name: chain,
      chain,
      network: 'devnet',
      upstreams,
    })) as CreatedNode
  const listed = async ({ id }: CreatedNode) => {
    const { results } = (await api(`${id}/upstreams/`)) as {
      readonly results: readonly {
        protocol: string
        state: string
        head: number | null
        lag: number | null
      }[]
    }
    return results.map(({ protocol, state, head, lag }) => [protocol, state, head, lag])
  }
  const beacon = await create('beacon', { beacon: `${lagging.url} ${current.url}` })
  const jetton = await create('jetton', {
    jetton: `${lagging.url} ${current.url}`,
    jetton_v3: otherChain.url,
  })
  const solana = await create('solana', { grpc: `${grpc.url} ${stopped.url}` })
  await vi.waitFor(async () => {
    expect(await listed(beacon)).toEqual([
      ['beacon', 'up', 90, 10],
      ['beacon', 'up', 100, 0],
    ])
    expect(await listed(jetton)).toEqual([
      ['jetton', 'up', 90, 10],
      ['jetton', 'up', 100, 0],
      ['jetton_v3', 'up', 7, 0],
    ])
    expect(await listed(solana)).toEqual([
      ['grpc', 'up', null, null],
      ['grpc', 'down', null, null],
    ])
  }, patience)
  const token = beacon.credentials.find(({ kind }) => kind === 'token')?.token
  const readRoot = () => fetch(`${url}/beacon/${token}/eth/v1/beacon/states/head/root`)
  await vi.waitFor(async () => expect((await readRoot()).status).toBe(200), patience)
  await stop(current.node)
  expect((await readRoot()).status).toBe(200)
  await vi.waitFor(
    async () => expect((await listed(beacon))[1]?.slice(0, 2)).toEqual(['beacon', 'down']),
    patience,
  )
  const metrics = await gateway.registry.metrics()
  const idOf = ({ id }: CreatedNode, field: string, position: number) => {
    const labels = `node="${id}",field="${field}",position="${position}"`
    return new RegExp(`fairlead_upstream_info\\{upstream="(.*)",${labels}\\} 1`).exec(metrics)?.[1]
  }
  expect(metrics).toContain(
    `fairlead_upstream_class{upstream="${idOf(beacon, 'beacon', 1)}",class="failing"} 1`,
  )
  expect(metrics).toContain(`fairlead_upstream_head_block{upstream="${idOf(jetton, 'jetton-v3', 0)}"} 7`)
}, 60_000)

it('the API lists the health of a changed list before a client uses it', async () => {
  const [former, next] = [await restNode(100), await restNode(90)]
  const gateway = await gatewayFixture({}, 'http://127.0.0.1:1')
  onTestFinished(gateway.stop)
  const { url, first } = gateway
  const api = async (path: string, method = 'GET', body?: object) => {
    const response = await fetch(`${url}/v2/nodes/${path}`, {
      method,
      body: body ? JSON.stringify(body) : null,
      headers: { authorization: `Bearer ${first.apiKey}`, 'content-type': 'application/json' },
    })
    expect(response.status).toBeLessThan(300)
    return response.json()
  }
  const { id, credentials } = (await api('', 'POST', {
    project: first.projectId,
    name: 'beacon',
    chain: 'beacon',
    network: 'devnet',
    upstreams: { beacon: former.url },
  })) as CreatedNode
  const token = credentials.find(({ kind }) => kind === 'token')?.token
  const readRoot = () => fetch(`${url}/beacon/${token}/eth/v1/beacon/states/head/root`)
  await vi.waitFor(async () => expect((await readRoot()).status).toBe(200), patience)
  await api(`${id}/`, 'PATCH', { upstreams: { beacon: next.url } })
  const heads = async () => {
    const { results } = (await api(`${id}/upstreams/`)) as { readonly results: readonly { head: number }[] }
    return results.map(({ head }) => head)
  }
  await vi.waitFor(async () => expect(await heads()).toEqual([90]), { ...patience, interval: 200 })
}, 60_000)

it('the metrics contain the known limits of block ranges', async () => {
  const url = await startTestNode(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { id, params } = JSON.parse(body) as { id: number; params: readonly [Record<string, string>] }
    const { fromBlock, toBlock } = params[0] ?? {}
    const isTooWide = Number(toBlock) - Number(fromBlock) >= 500
    const outcome = isTooWide ? { error: { code: -32602, message: 'max block range 500' } } : { result: [] }
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
  })
  const gateway = await gatewayFixture({}, url)
  onTestFinished(gateway.stop)
  const nodeUrl = `${gateway.url}/${gateway.first.token}`
  const params = [{ fromBlock: '0x0', toBlock: '0x1000' }]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params })
  expect(await (await fetch(nodeUrl, { method: 'POST', body })).json()).toMatchObject({ result: [] })
  const metrics = await gateway.registry.metrics()
  expect(metrics).toMatch(/^fairlead_upstream_range_limit_blocks\{upstream=".+",method="eth_getLogs"\} 500$/m)
})
