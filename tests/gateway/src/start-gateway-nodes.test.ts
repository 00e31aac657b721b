import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, startDevnet } from '@fairlead/devnet'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { nodePath } from '@fairlead/platform-server/testing/json-calls'

interface CreatedNode {
  readonly id: string
  readonly details: { readonly https: string; readonly wss: string }
  readonly credentials: readonly { readonly id: string; readonly kind: string }[]
}

const patience = { timeout: 50_000, interval: 20 }

let directory: string
let devnet: Devnet
let gateway: GatewayFixture

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-nodes-'))
  devnet = await startDevnet({ dataDirectory: directory, chains: ['evm'] })
  gateway = await gatewayFixture({}, 'devnet', { evm: devnet.chains[0]?.url ?? '' })
}, 60_000)

afterAll(async () => {
  await gateway.stop()
  await devnet.stop()
  await rm(directory, { recursive: true, force: true })
})

async function platform<body>(method: string, path: string, payload?: unknown): Promise<body> {
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${gateway.first.apiKey}`,
      ...(payload !== undefined && { 'content-type': 'application/json' }),
    },
    ...(payload !== undefined && { body: JSON.stringify(payload) }),
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return (response.status === 204 ? undefined : await response.json()) as body
}

function create(changes: object): Promise<CreatedNode> {
  const { projectId: project } = gateway.first
  return platform('POST', '/v2/nodes/', { project, name: 'Made here', ...changes })
}

function call(address: string, method: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(address, { method: 'POST', headers, body: JSON.stringify(request(method)) })
}

function request(method: string) {
  return { jsonrpc: '2.0', id: 1, method, params: [] }
}

async function waitForStatus(send: () => Promise<Response>, status: number): Promise<void> {
  await vi.waitFor(async () => expect((await send()).status).toBe(status), patience)
}

describe('a node that was created with the platform API', () => {
  it('serves calls at its URLs, until it is deleted', async () => {
    const chain = devnet.chains[0]?.url ?? ''
    const node = await create({ chain: 'evm', network: 'devnet', upstreams: { evm: chain } })
    await waitForStatus(() => call(node.details.https, 'eth_chainId'), 200)
    const body = await (await call(node.details.https, 'eth_chainId')).json()
    expect(body).toEqual(await (await call(chain, 'eth_chainId')).json())

    const opened = await new Promise<string>((resolve, reject) => {
      const socket = new WebSocket(node.details.wss)
      socket.addEventListener('open', () => socket.send(JSON.stringify(request('eth_chainId'))))
      socket.addEventListener('message', ({ data }) => resolve(String(data)))
      socket.addEventListener('error', () => reject(new Error('The socket failed.')))
    })
    expect(JSON.parse(opened)).toEqual(body)

    await vi.waitFor(async () => {
      const path = nodePath(node.id, 'upstreams')
      const { results } = await platform<{ results: object[] }>('GET', path)
      expect(results).toMatchObject([{ address: chain, state: 'up', head: expect.any(Number), in_use: true }])
    }, patience)

    await vi.waitFor(async () => {
      const { results } = await platform<{ results: object[] }>('GET', nodePath(node.id, 'credentials'))
      const used = { kind: 'token', last_used_ip: '127.0.0.1', last_used_at: expect.any(String) }
      expect(results).toContainEqual(expect.objectContaining(used))
    }, patience)

    await platform('DELETE', nodePath(node.id))
    await waitForStatus(() => call(node.details.https, 'eth_chainId'), 401)
  })

  it('applies its rules and limits, and accepts only active credentials', async () => {
    const node = await create({ option: 'evm' })
    const address = node.details.https
    await waitForStatus(() => call(address, 'eth_gasPrice'), 200)

    const rule = { kind: 'method', value: 'eth_gasPrice', action: 'deny' }
    const { id } = await platform<{ id: string }>('POST', nodePath(node.id, 'access-rules'), rule)
    await waitForStatus(() => call(address, 'eth_gasPrice'), 403)
    expect((await call(address, 'eth_chainId')).status).toBe(200)
    await platform('PATCH', nodePath(node.id, 'access-rules', id), { active: false })
    await waitForStatus(() => call(address, 'eth_gasPrice'), 200)

    await platform('PUT', nodePath(node.id, 'limits'), { requests_per_day: 1 })
    await waitForStatus(() => call(address, 'eth_chainId'), 403)
    await platform('PUT', nodePath(node.id, 'limits'), {})
    await waitForStatus(() => call(address, 'eth_chainId'), 200)

    const token = node.credentials.find(({ kind }) => kind === 'token')?.id ?? ''
    const rotated = await platform<{ token: string }>(
      'POST',
      nodePath(node.id, 'credentials', token, 'rotate'),
      { overlap_seconds: 0 },
    )
    await waitForStatus(() => call(address, 'eth_chainId'), 401)
    await waitForStatus(() => call(`${gateway.url}/${rotated.token}`, 'eth_chainId'), 200)
  })

  it('shares upstream state with nodes that have the same upstreams', async () => {
    const chain = `${devnet.chains[0]?.url ?? ''}/`
    const body = { chain: 'evm', network: 'devnet', upstreams: { evm: `${chain}#weight=2` } }
    const [first, second] = [await create(body), await create(body)]
    for (const { id } of [first, second]) {
      await vi.waitFor(async () => {
        const path = nodePath(id, 'upstreams')
        const { results } = await platform<{ results: object[] }>('GET', path)
        expect(results).toMatchObject([{ state: 'up' }])
      }, patience)
    }
  })

  it('cannot point to the gateway itself', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = new URL(gateway.url)
      url.hostname = host
      const body = { chain: 'evm', network: 'x', upstreams: { evm: url.href } }
      await expect(create(body)).rejects.toThrow('400: ')
    }
  })
})
