import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { createFairlead, createNode, FairleadError, type NodeOptions, unwrap } from './index.ts'

const url = 'https://node.example.com'
const auth: NodeOptions['auth'] = { kind: 'token', token: 't0k3n' }

function recording(respond: () => Response) {
  const urls: string[] = []
  const fetch: typeof globalThis.fetch = (input) => {
    urls.push(typeof input === 'string' ? input : (input as Request).url)
    return Promise.resolve(respond())
  }
  return { urls, fetch }
}

const platform = { baseUrl: 'https://api.example.com', apiKey: 'k3y' }

describe('createFairlead', () => {
  it('connects to the platform and, with the same settings, to every protocol of a node', async () => {
    const { urls, fetch } = recording(() => Response.json({ jsonrpc: '2.0', id: 1, result: '0x1' }))
    const fairlead = createFairlead({ ...platform, fetch, retries: 0 })
    const node = fairlead.node({ url, auth, path: 'evm' })
    await fairlead.platform.GET('/v1/organization/')
    await node.evm.request({ method: 'eth_chainId' })
    await node.beacon.GET('/eth/v1/debug/fork_choice')
    await node.jetton.v2.GET('/api/v2/getConfigParam', { params: { query: { config_id: 15 } } })
    await node.jetton.v3.GET('/api/v3/jetton/burns', { params: { query: { address: 'EQ' } } })
    expect(urls).toEqual([
      'https://api.example.com/v1/organization/',
      'https://node.example.com/t0k3n/evm',
      'https://node.example.com/beacon/t0k3n/eth/v1/debug/fork_choice',
      'https://node.example.com/t0k3n/api/v2/getConfigParam?config_id=15',
      'https://node.example.com/t0k3n/api/v3/jetton/burns?address=EQ',
    ])
  })

  it('lists projects through the platform client', async () => {
    const page = { count: 1, next: null, previous: null, results: [{ id: 'PR-1' }] }
    const { urls, fetch } = recording(() => Response.json(page))
    const { platform: client } = createFairlead({ ...platform, fetch })
    const received: string[] = []
    for await (const project of client.projects({ order_by: 'name' })) received.push(project.id)
    expect(received).toEqual(['PR-1'])
    expect(urls).toEqual(['https://api.example.com/v2/projects/?order_by=name&page=1'])
  })

  it('passes on its timeouts, which a node can override', async () => {
    let requests = 0
    const fetch: typeof globalThis.fetch = () => {
      requests += 1
      return Promise.resolve(new Response('busy', { status: 503, headers: { 'retry-after': 'x' } }))
    }
    const fairlead = createFairlead({ ...platform, fetch, retries: 0, timeoutMs: 1_000 })
    const attempt = (options: NodeOptions) => fairlead.node(options).evm.request({ method: 'eth_chainId' })
    await expect(attempt({ url, auth })).rejects.toThrow('HTTP_STATUS')
    expect(requests).toBe(1)
    await expect(attempt({ url, auth, retries: 1 })).rejects.toThrow('HTTP_STATUS')
    expect(requests).toBe(3)
  })

  it('never sends the key of the platform to a node, nor the token of a node to the platform', async () => {
    const sent: string[] = []
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init)
      sent.push(JSON.stringify([request.url, [...request.headers], await request.text()]))
      return Response.json({ jsonrpc: '2.0', id: 1, result: '0x1' })
    }
    const fairlead = createFairlead({ ...platform, fetch })
    const node = fairlead.node({ url, auth })
    await node.evm.request({ method: 'eth_chainId' })
    await node.beacon.GET('/eth/v1/debug/fork_choice')
    await fairlead.platform.GET('/v1/organization/')
    expect(sent.map((text) => [text.includes('k3y'), text.includes('t0k3n')])).toEqual([
      [false, true],
      [false, true],
      [true, false],
    ])
  })

  it('rejects invalid options immediately', () => {
    expect(() => createFairlead({ baseUrl: 'http://api.example.com', apiKey: 'k3y' })).toThrow(
      'CONFIG_INVALID',
    )
  })
})

describe('createNode', () => {
  it('creates each client on first access, and only once', () => {
    const broken = createNode({ url: 'not a URL', auth })
    expect(() => broken.evm).toThrow('CONFIG_INVALID')
    const node = createNode({ url, auth })
    expect(node.evm).toBe(node.evm)
    expect(node.beacon).toBe(node.beacon)
    expect(node.jetton.v2).toBe(node.jetton.v2)
    const { evm } = node
    expect(evm).toBe(node.evm)
  })

  it('preserves the state of a client between calls', async () => {
    const ids: unknown[] = []
    const fetch: typeof globalThis.fetch = (_, init) => {
      ids.push((JSON.parse(init?.body as string) as { id: unknown }).id)
      return Promise.resolve(Response.json({ jsonrpc: '2.0', id: 1, result: '0x1' }))
    }
    const node = createNode({ url, auth, fetch })
    await node.evm.request({ method: 'eth_chainId' })
    await node.evm.request({ method: 'eth_chainId' })
    expect(ids).toEqual([1, 2])
  })

  it('accepts node credentials only', () => {
    const create = () => {
      // @ts-expect-error an x-token is for gRPC
      createNode({ url, auth: { kind: 'x-token', token: 't' } })
    }
    expectTypeOf(create).toBeFunction()
  })
})

describe('the package', () => {
  it('throws errors that its own class recognizes', async () => {
    const { fetch } = recording(() => Response.json({ error: { message: 'no' } }, { status: 404 }))
    const fairlead = createFairlead({ ...platform, fetch })
    const error: unknown = await unwrap(fairlead.platform.GET('/v1/organization/')).catch(
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(FairleadError)
  })

  // The facade only wires packages together; larger code belongs in a family package or in core.
  it('stays below 300 lines written by hand', () => {
    const files = readdirSync(import.meta.dirname, { recursive: true, withFileTypes: true }).filter(
      ({ name }) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
    )
    const lines = files.map(
      ({ parentPath, name }) => readFileSync(`${parentPath}/${name}`, 'utf8').split('\n').length - 1,
    )
    expect(files.length).toBeGreaterThan(3)
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(300)
  })
})
