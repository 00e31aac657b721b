import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, type EvmDevnetChain, startDevnet } from '@fairlead/devnet'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { rpcOf } from '../testing/traced-chain.ts'
import { transactionHash } from './raw-transaction.ts'
import { pooledNode } from '../testing/pooled-node.ts'
import { createEncryptor } from '@fairlead/gateway-core/credentials/encryption'

vi.setConfig({ testTimeout: 60_000 })

let directory: string
let devnets: readonly Devnet[]
let chains: readonly EvmDevnetChain[]

/** Starts one chain per name, in a directory of that name. */
function start(...names: readonly string[]): Promise<readonly Devnet[]> {
  return Promise.all(
    names.map((name) => startDevnet({ dataDirectory: join(directory, name), chains: ['evm'] })),
  )
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-pool-'))
  devnets = await start('one', 'other')
  chains = devnets.flatMap((devnet) => devnet.chains as readonly EvmDevnetChain[])
})
afterAll(async () => {
  await Promise.all(devnets.map((devnet) => devnet.stop()))
  await rm(directory, { recursive: true })
})

async function signed(node: string, from: string, type: object): Promise<string> {
  const nonce = await rpcOf<string>(node, 'eth_getTransactionCount', [from, 'pending'])
  const transaction = { from, to: from, value: '0x1', gas: '0x5208', nonce, chainId: '0x7a69', ...type }
  return rpcOf<string>(node, 'eth_signTransaction', [transaction])
}

const types = [
  ['legacy', { gasPrice: '0x77359400' }],
  ['with an access list', { gasPrice: '0x77359400', accessList: [] }],
  ['with a fee market', { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }],
] as const

it.each(types)('returns the hash of a transaction, %s, whose response was lost', async (_, type) => {
  const [{ url, example }] = chains as readonly [EvmDevnetChain]
  // Forwards every call, and drops the response to a sent transaction.
  const losing = await startTestNode(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const forwarded = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const text = await forwarded.text()
    if (body.includes('eth_sendRawTransaction')) response.destroy()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  const raw = await signed(url, example.account, type)
  const node = pooledNode(`${losing} ${url}`, { pollMs: 60_000 })
  const hash = await node.call('eth_sendRawTransaction', [raw])
  expect(hash).toBe(transactionHash(raw))
  expect(await node.call('eth_getTransactionByHash', [hash])).toMatchObject({ hash, from: example.account })
  expect(node.states().map(({ failures }) => failures)).toEqual([1, 0])
  // A retry by the caller receives the upstream's own response.
  await expect(pooledNode(url).call('eth_sendRawTransaction', [raw])).rejects.toThrow()
})

it('reads a filter of a real node through another process', async () => {
  const text = chains.map(({ url }) => url).join(' ')
  // All processes of a deployment have the same secret key.
  const { fingerprint } = createEncryptor(randomBytes(32))
  const [first, second] = [pooledNode(text, { fingerprint }), pooledNode(text, { fingerprint })]
  for (let round = 0; round < 4; round++) {
    const id = await first.call('eth_newBlockFilter')
    expect(await second.call('eth_getFilterChanges', [id])).toEqual([])
    await Promise.all(chains.map(({ url }) => rpcOf(url, 'anvil_mine', ['0x2'])))
    expect(await second.call('eth_getFilterChanges', [id])).toHaveLength(2)
    expect(await first.call('eth_uninstallFilter', [id])).toBe(true)
    expect(await second.call('eth_uninstallFilter', [id])).toBe(false)
  }
})

it('fails no call while one of two nodes is killed', async () => {
  // Separate chains, because other tests mine on the shared ones.
  const separateAnvils = await start('killed', 'surviving')
  onTestFinished(async () => void (await Promise.all(separateAnvils.map((devnet) => devnet.stop()))))
  const [first, second] = separateAnvils.flatMap(({ chains: of }) => of) as [EvmDevnetChain, EvmDevnetChain]
  const account = first.example.account
  const node = pooledNode(`${first.url} ${second.url}`)
  const calls: readonly (readonly [string, readonly unknown[]])[] = [
    ['eth_blockNumber', []],
    ['eth_getBalance', [account, 'latest']],
    ['eth_getBlockByNumber', ['latest', true]],
    ['eth_call', [{ to: account }, 'latest']],
    ['eth_getLogs', [{ fromBlock: 'latest' }]],
  ]
  const failures: unknown[] = []
  const over = new AbortController()
  onTestFinished(() => over.abort())
  let succeeded = 0
  const load = Array.from({ length: 16 }, async (_, worker) => {
    for (let call = worker; !over.signal.aborted; call++) {
      const [method, params] = calls[call % calls.length] as (typeof calls)[number]
      await node.call(method, params).then(
        () => (succeeded += 1),
        (error: unknown) => failures.push(error),
      )
    }
  })
  await vi.waitFor(() => expect(node.states()[0]?.calls).toBeGreaterThan(200), { timeout: 50_000 })
  await separateAnvils[0]?.stop()
  const before = succeeded
  await vi.waitFor(() => expect(succeeded).toBeGreaterThan(before + 200), { timeout: 50_000 })
  over.abort()
  await Promise.all(load)
  expect(failures).toEqual([])
  expect(node.states()).toMatchObject([{ class: 'failing' }, { class: 'ready' }])
})
