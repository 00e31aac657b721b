import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@fairlead/devnet'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { jettonFormat } from '../http/jetton-format.ts'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import { PooledNodeUpstreams } from '../upstream/jetton-upstreams.ts'
import { jettonAdapters } from './adapters.ts'
import { callOf } from '../testing/jetton-server.ts'

let address: string
let callAdapter: (
  family: 'v2' | 'v3',
  adapter: string,
  parameters: Readonly<Record<string, unknown>>,
) => Promise<unknown>
let stop: () => Promise<void>

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-jetton-'))
  const devnet = await startDevnet({ dataDirectory: directory, chains: ['jetton'] })
  const [chain] = devnet.chains
  address = chain.example.jetton_master
  const upstream = createRestUpstream(chain.url, 30_000, jettonFormat)
  const node = new PooledNodeUpstreams({ v2: () => upstream, v3: () => upstream })
  callAdapter = async (family, adapter, parameters) =>
    jettonAdapters.get(adapter)?.(callOf(family, adapter, parameters), node)
  stop = async () => {
    await upstream.close()
    await devnet.stop()
    await rm(directory, { recursive: true, force: true })
  }
}, 120_000)

afterAll(() => stop())

interface BurnList {
  readonly burns: readonly { readonly comment: string }[]
}
const burns = async (parameters: Readonly<Record<string, unknown>>) =>
  (await callAdapter('v3', 'listJettonBurns', {
    address,
    limit: 128,
    offset: 0,
    sort: 'desc',
    ...parameters,
  })) as BurnList

it('lists the burns of the sample jetton', async () => {
  const all = await burns({})
  expect(all.burns).toHaveLength(3)
  expect(all.burns[0]).toMatchObject({
    jetton: { address, name: 'Sample Jetton', symbol: 'SAMPLE' },
    burner: { address: expect.stringMatching(/^UQ/) },
    transaction: { hash: expect.stringMatching(/=$/), time: expect.any(Number) },
    amount: expect.stringMatching(/^[0-9]+$/),
  })
  expect(all.burns.map(({ comment }) => comment)).toContainEqual(expect.stringContaining('日本語'))
  const inPages = [0, 1, 2, 3].map((offset) => burns({ limit: 1, offset, sort: 'asc' }))
  const single = (await Promise.all(inPages)).flatMap((page) => page.burns)
  expect(single.toReversed()).toEqual(all.burns)
})

it('decodes parameters of the configuration', async () => {
  const value = { validators_elected_for: 65_536, elections_end_before: 8_192 }
  expect(await callAdapter('v2', 'getConfigParam', { config_id: 15 })).toMatchObject({ config_id: 15, value })
  expect(await callAdapter('v2', 'jsonRPC:getConfigParam', { config_id: 15 })).toMatchObject({
    config_id: 15,
    value,
    '@type': 'configInfo',
    config: { '@type': 'tvm.cell', bytes: expect.any(String) },
  })
  await expect(callAdapter('v2', 'getConfigParam', { config_id: 77 })).rejects.toMatchObject({ status: 404 })
  await expect(callAdapter('v2', 'jsonRPC:getConfigParam', { config_id: 77 })).rejects.toMatchObject({
    status: 404,
  })
})

it('returns the shards of a block', async () => {
  const shards = await callAdapter('v2', 'jsonRPC:getShards', { seqno: 1 })
  expect(shards).toMatchObject({ '@type': 'blocks.shards' })
  expect(await callAdapter('v2', 'getShards', { seqno: 1 })).toMatchObject({ ok: true, result: shards })
})
