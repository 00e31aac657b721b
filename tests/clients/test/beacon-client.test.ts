import {
  beaconClock,
  type BeaconClient,
  createBeaconClient,
  events,
  failover,
  FairleadError,
  forkChoiceHead,
  type ForkChoiceNode,
  getSsz,
  postSsz,
  queryForSsz,
  streamData,
  streamForkChoice,
  streamSsz,
  streamState,
  unwrap,
} from '@fairlead/beacon'
import { decodeSsz, encodeSsz } from '@fairlead/beacon/ssz'
import { type Devnet, startDevnet } from '@fairlead/devnet'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type BeaconProxy, startBeaconProxy } from './beacon-proxy.ts'

// The preset of the development chain. It must be set before the SSZ types are imported.
vi.hoisted(() => {
  process.env['LODESTAR_PRESET'] = 'minimal'
})

const auth = { kind: 'token', token: 't0k3n' } as const
const slotsPerEpoch = 8n
let directory: string
let devnet: Devnet<readonly ['beacon']>
let proxy: BeaconProxy
let beacon: BeaconClient

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-beacon-client-'))
  devnet = await startDevnet({ dataDirectory: directory, chains: ['beacon'], beacon: { secondsPerSlot: 1 } })
  proxy = await startBeaconProxy(devnet.chains[0].url, auth.token)
  beacon = createBeaconClient({ url: proxy.url, auth })
}, 60_000)

afterAll(async () => {
  await proxy.close()
  await devnet.stop()
  await rm(directory, { recursive: true, force: true })
})

/**
 * Identifies the finalized state by its slot, so that later requests read the same state even if more is finalized
 * meanwhile.
 */
async function finalizedState() {
  const { data } = await unwrap(
    beacon.GET('/eth/v1/beacon/headers/{block_id}', { params: { path: { block_id: 'finalized' } } }),
  )
  return { path: { state_id: data.header.message.slot } }
}

describe('SSZ of a real node', () => {
  const block = '/eth/v2/beacon/blocks/{block_id}'
  const state = '/eth/v2/debug/beacon/states/{state_id}'

  it('decodes to the JSON of the node: a block', async () => {
    const { root } = (
      await unwrap(
        beacon.GET('/eth/v1/beacon/headers/{block_id}', { params: { path: { block_id: 'head' } } }),
      )
    ).data
    const params = { path: { block_id: root } }
    const json = await unwrap(beacon.GET(block, { params }))
    const decoded = decodeSsz(block, await getSsz(beacon, block, { params }))
    expect(decoded.version).toBe(json.version)
    expect(decoded.data).toEqual(json.data)
    expect(json.version === 'fulu' && json.data.message.body.execution_payload.block_hash).toMatch(/^0x/)
  })

  it('decodes to the JSON of the node: a state, streamed in both formats', async () => {
    const params = await finalizedState()
    const json = await unwrap(beacon.GET(state, { params }))
    const { stream, version } = await streamSsz(beacon, state, { params })
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
    expect(decodeSsz(state, { bytes, version }).data).toEqual(json.data)
    const lists = { validators: [] as unknown[], balances: [] as unknown[] }
    const items = streamState(beacon, { state_id: json.data.slot, lists: ['validators', 'balances'] })
    for await (const { list, item } of items) lists[list].push(item)
    expect(lists).toEqual({ validators: json.data.validators, balances: json.data.balances })
    expect(items.context.data?.slot).toBe(json.data.slot)
  })

  it('decodes to the JSON of the node: lists, also requested by POST', async () => {
    const balances = '/eth/v1/beacon/states/{state_id}/validator_balances'
    const params = await finalizedState()
    const query = { params, body: ['3', '5'] }
    const json = await unwrap(beacon.POST(balances, query))
    expect(json.data.map(({ index }) => index).toSorted()).toEqual(['3', '5'])
    expect(decodeSsz(balances, await queryForSsz(beacon, balances, query)).data).toEqual(json.data)
    const lookahead = '/eth/v1/beacon/states/{state_id}/proposer_lookahead'
    const { data } = await unwrap(beacon.GET(lookahead, { params }))
    expect(data.length).toBeGreaterThan(0)
    expect(decodeSsz(lookahead, await getSsz(beacon, lookahead, { params })).data).toEqual(data)
  })

  it('round-trips: a block encodes to the same bytes, and the node validates what it receives', async () => {
    const params = { path: { block_id: 'finalized' } }
    const { bytes, version } = await getSsz(beacon, block, { params })
    const { data } = decodeSsz(block, { bytes, version })
    const contents = { signed_block: data, kzg_proofs: [], blobs: [] }
    const ssz = encodeSsz('/eth/v2/beacon/blocks', 'fulu', contents as never)
    // The encoded contents are three offsets, the block, and two empty lists.
    expect(ssz.subarray(12)).toEqual(bytes)
    const post = { version: 'fulu' as const, ssz: ssz.subarray(0, 20), json: () => contents as never }
    const error: unknown = await postSsz(beacon, '/eth/v2/beacon/blocks', post).catch(
      (reason: unknown) => reason,
    )
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.details.status).toBe(400)
  })
})

describe('streams of a real node', () => {
  it('return all validators', async () => {
    const path = '/eth/v1/beacon/states/{state_id}/validators'
    const params = await finalizedState()
    const { data } = await unwrap(beacon.GET(path, { params }))
    const received: unknown[] = []
    for await (const validator of streamData(beacon, path, { params })) received.push(validator)
    expect(received.length).toBe(data.length)
    expect(received.length).toBeGreaterThan(10)
  })

  it('return a fork choice with the head of the node', async () => {
    await expect
      .poll(async () => {
        const nodes: ForkChoiceNode[] = []
        const stream = streamForkChoice(beacon)
        for await (const node of stream) nodes.push(node)
        const { data } = await unwrap(
          beacon.GET('/eth/v1/beacon/headers/{block_id}', { params: { path: { block_id: 'head' } } }),
        )
        const forkChoice = { ...stream.context, fork_choice_nodes: nodes } as never
        return forkChoiceHead(forkChoice, { slotsPerEpoch })?.node.block_root === data.root
      })
      .toBe(true)
  })

  it('return events and resume after a lost connection', async () => {
    const received: string[] = []
    for await (const { event } of events(beacon, { topics: ['head', 'block'], reconnect: { baseMs: 50 } })) {
      received.push(event)
      if (received.length === 2) proxy.disconnect()
      // Not every block becomes the head.
      if (received.includes('gap') && event === 'head') break
    }
    expect(received.slice(0, 2)).not.toContain('gap')
  })
})

it('computes slots and epochs like the node', async () => {
  const { data: genesis } = await unwrap(beacon.GET('/eth/v1/beacon/genesis'))
  const { data: spec } = await unwrap(beacon.GET('/eth/v1/config/spec'))
  const clock = beaconClock(genesis, spec)
  const { data } = await unwrap(beacon.GET('/eth/v1/node/syncing'))
  const ahead = clock.slotAt() - BigInt(data.head_slot) - BigInt(data.sync_distance)
  expect(ahead >= -1n && ahead <= 2n).toBe(true)
  expect(clock.firstSlotOf(1n)).toBe(slotsPerEpoch)
})

it('fails over to the next node when one is unreachable', async () => {
  const unreachable = await startBeaconProxy(devnet.chains[0].url, auth.token)
  const both = createBeaconClient({
    transport: failover([unreachable, proxy].map(({ url }) => ({ url, auth }))),
  })
  await unwrap(both.GET('/eth/v1/beacon/genesis'))
  expect(unreachable.requests).toEqual(['GET /eth/v1/beacon/genesis'])
  await unreachable.close()
  await unwrap(both.GET('/eth/v1/beacon/genesis'))
  expect(proxy.requests.at(-1)).toBe('GET /eth/v1/beacon/genesis')
})
