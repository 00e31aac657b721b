import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Route } from '@fairlead/core'
import { type JettonDevnetChain, startDevnet } from '@fairlead/devnet'
import { v2, v3 } from '@fairlead/jetton/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type JettonFixture, listenToJetton } from '../testing/jetton-fixture.ts'

let directory: string
let chain: JettonDevnetChain
let gateway: JettonFixture
let stop: () => Promise<void>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-jetton-'))
  // The chain does not change between two calls, so that their responses can be compared.
  const devnet = await startDevnet({
    dataDirectory: directory,
    chains: ['jetton'],
    jetton: { secondsPerBlock: 0 },
  })
  ;({ stop } = devnet)
  ;[chain] = devnet.chains
  gateway = await listenToJetton(chain.url)
}, 120_000)

afterAll(async () => {
  await gateway.stop()
  await stop()
  await rm(directory, { recursive: true, force: true })
})

/** A value for every required parameter of the operations. */
function queryFor(route: Route): string {
  const values: Readonly<Record<string, string>> = {
    address: route.path.endsWith('getTokenData') ? chain.example.jetton_master : chain.example.wallet,
    account: chain.example.wallet,
    seqno: '1',
    workchain: '-1',
    shard: '-9223372036854775808',
    config_id: '15',
    hash: chain.example.burn_hash,
    source: chain.example.wallet,
    destination: chain.example.jetton_wallet,
    created_lt: '1',
    limit: '5',
  }
  const needed = Object.entries(route.query).filter(([name, { required }]) => required || name === 'limit')
  return new URLSearchParams(needed.map(([name]) => [name, values[name] ?? ''])).toString()
}

/**
 * Removes the parts that differ in every response: a random text, and the time of the consensus block, which is the
 * time of the request.
 */
async function normalize(response: Response) {
  const text = await response.text()
  const body = text
    .replace(/"@extra":"[^"]*"/g, '"@extra":""')
    .replace(/("consensus_block":\d+,"timestamp":)\d{10}\b/, '$10')
  return { status: response.status, body }
}

// These operations have an adapter, and are tested below.
const adapted = ['getConfigParam', 'getShards', 'listJettonBurns']
const reads = [...Object.values<Route>(v2.routes), ...Object.values<Route>(v3.routes)].filter(
  ({ method, operationId }) => method === 'GET' && !adapted.includes(operationId),
)

it.each(reads)('responds to $path as the chain does', async (route) => {
  const target = `${route.path}?${queryFor(route)}`
  const [direct, proxied] = await Promise.all([
    fetch(`${chain.url}${target}`).then(normalize),
    gateway.call(target).then(normalize),
  ])
  expect(proxied.status).toBe(direct.status)
  // The chain returns null for an empty list of rows, as an index does.
  if (direct.status === 200) expect(proxied.body).toBe(direct.body.replace(/^(\{"\w+":)null,/, '$1[],'))
  else expect(JSON.parse(proxied.body)).toMatchObject({ ok: false, code: direct.status })
})

it('lists the burns of the sample jetton', async () => {
  const response = await gateway.call(`/api/v3/jetton/burns?address=${chain.example.jetton_master}`)
  const { burns } = (await response.json()) as { burns: { transaction: { hash: string } }[] }
  expect(burns.map(({ transaction }) => transaction.hash)).toContain(chain.example.burn_hash)
})

it('returns a configuration parameter, and 404 for an unknown one', async () => {
  const param = await gateway.call('/api/v2/getConfigParam?config_id=15')
  expect(await param.json()).toEqual({
    config_id: 15,
    value: expect.objectContaining({ validators_elected_for: 65_536 }),
  })
  expect(await normalize(await gateway.call('/api/v2/getConfigParam?config_id=999'))).toMatchObject({
    status: 404,
  })
})

it('runs a get method by JSON-RPC', async () => {
  const params = { address: chain.example.jetton_master, method: 'get_jetton_data', stack: [] }
  const response = await gateway.rpc({ jsonrpc: '2.0', id: 'x', method: 'runGetMethod', params })
  expect(await response.json()).toMatchObject({ ok: true, jsonrpc: '2.0', id: 'x', result: { exit_code: 0 } })
})
