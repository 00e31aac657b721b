import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EvmDevnetChain, startDevnet } from '@fairlead/devnet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { content, nodeWithResponse, outcomes, probe } from '@fairlead/gateway-evm/testing/probed-node'

describe('the probe of an engine and of the gateway in front of it', { timeout: 120_000 }, () => {
  let directory: string
  let chain: EvmDevnetChain
  let gateway: GatewayFixture
  let stopDevnet: () => Promise<void>
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fairlead-probe-'))
    const devnet = await startDevnet({ dataDirectory: directory, chains: ['evm'] })
    stopDevnet = () => devnet.stop()
    ;[chain] = devnet.chains as [EvmDevnetChain]
    const embedded = { evm: chain.url, websocket: chain.url.replace('http', 'ws') }
    gateway = await gatewayFixture({}, 'devnet', embedded)
  }, 60_000)
  afterAll(async () => {
    await gateway.stop()
    await stopDevnet()
    await rm(directory, { recursive: true, force: true })
  })

  /** State that would reveal a change: head, pool, accounts. */
  async function state(): Promise<unknown> {
    const calls = [
      ['eth_blockNumber', []],
      ['eth_getBlockByNumber', ['latest', false]],
      ['eth_getBlockByNumber', ['pending', false]],
      ['txpool_content', []],
      ['eth_getTransactionCount', [`0x${'0'.repeat(40)}`, 'pending']],
    ] as const
    return Promise.all(
      calls.map(async ([method, params]) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
        const headers = { 'content-type': 'application/json' }
        const rpcResponse = (await (await fetch(chain.url, { method: 'POST', headers, body })).json()) as {
          result: { timestamp?: string }
        }
        // The pending block is rebuilt for every request.
        return params[0] === 'pending' ? undefined : rpcResponse.result
      }),
    )
  }

  it('reports over both transports which methods the engine has, and changes nothing', async () => {
    const before = await state()
    const report = await probe(chain.url, { webSocketUrl: chain.url.replace('http', 'ws') })
    expect(await state()).toEqual(before)
    expect(report.node).toEqual({
      clientVersion: expect.stringMatching(/^anvil\//),
      chainId: '0x7a69',
      host: chain.url,
    })
    const [http, websocket] = [outcomes(report), outcomes(report, 'websocket')]
    expect(http).toMatchObject({
      debug_traceCallMany: 'missing',
      eth_getBlockByHash: 'available',
      eth_getFilterChanges: 'available',
      eth_getWork: 'missing',
      eth_sendRawTransaction: 'available',
      ots_getApiLevel: 'available',
    })
    expect(http).not.toHaveProperty('eth_subscribe')
    expect(websocket).toMatchObject({ eth_subscribe: 'available', eth_unsubscribe: 'available' })
    // Both transports support the same methods, although their error messages differ.
    const { eth_subscribe: _, eth_unsubscribe: __, ...shared } = websocket
    expect(shared).toEqual(http)
    expect(report.totals.failed + report.totals.refused).toBe(0)
    for (const { outcome, latencyMs } of report.methods) {
      if (outcome === 'available') expect(latencyMs).toBeGreaterThanOrEqual(0)
    }
  })

  it('finds a block with a transaction, and requests existing objects', async () => {
    const report = await probe(chain.url)
    const row = (name: string) => report.methods.find(({ method }) => method === name)
    for (const name of [
      'eth_getTransactionByHash',
      'eth_call',
      'eth_estimateGas',
      'eth_getProof',
      'eth_getLogs',
    ]) {
      expect(row(name)).toMatchObject({ outcome: 'available', note: '', code: null, message: '' })
    }
  })

  it('works through the gateway, with a token and with basic authentication', async () => {
    const { token, username, password } = gateway.first
    const before = await state()
    const socket = `${gateway.url.replace('http', 'ws')}/ws/${token}`
    const report = await probe(`${gateway.url}/${token}`, { webSocketUrl: socket })
    expect(await state()).toEqual(before)
    // The gateway provides what the engine lacks.
    expect(outcomes(report)).toMatchObject({ debug_traceCallMany: 'available', eth_getProof: 'available' })
    const { eth_subscribe, eth_unsubscribe, ...shared } = outcomes(report, 'websocket')
    expect([eth_subscribe, eth_unsubscribe]).toEqual(['available', 'available'])
    expect(shared).toEqual(outcomes(report))
    const basic = gateway.url.replace('//', `//${username}:${password}@`)
    const selected = { methods: ['eth_chainId', 'eth_call'] }
    expect(outcomes(await probe(basic, selected))).toEqual({
      eth_call: 'available',
      eth_chainId: 'available',
    })
    expect(JSON.stringify(report)).not.toContain(token)
  })

  it('works over a WebSocket only', async () => {
    const report = await probe(chain.url.replace('http', 'ws'), { methods: ['eth_chainId', 'eth_subscribe'] })
    expect(outcomes(report, 'websocket')).toEqual({ eth_chainId: 'available', eth_subscribe: 'available' })
    expect(report.node.host).toBe(chain.url.replace('http', 'ws'))
  })

  it('reports the median of the configured number of calls', async () => {
    let calls = 0
    const url = await nodeWithResponse((call) => {
      if (call.method === 'eth_gasPrice') calls += 1
      return content(call)
    })
    await probe(url, { repeat: 5, methods: ['eth_gasPrice'] })
    expect(calls).toBe(5)
  })
})
