import { routes } from '@lodestar/api'
import { ssz } from '@lodestar/types'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  sendRequest,
  requestSsz,
  json,
  useBeaconNode,
  until,
  Validators,
  type Json,
} from '../../../test/beacon.ts'
import { notOffered } from './not-offered.ts'

const node = useBeaconNode()
const root = (byte: string) => `0x${byte.repeat(32)}`

/** Ids of objects that do not change while the tests run. */
const fixed = { block: '', state: '', slot: 0, epoch: 0 }
let validators: Validators

beforeAll(async () => {
  const { body } = await sendRequest(node.url, '/eth/v1/beacon/headers/finalized')
  const { slot, state_root: stateRoot } = body.data.header.message
  Object.assign(fixed, {
    block: body.data.root,
    state: stateRoot,
    slot: Number(slot),
    epoch: Number(slot) / 8,
  })
  validators = await Validators.of(node.url)
})

async function currentEpoch(): Promise<number> {
  const { body } = await sendRequest(node.url, '/eth/v1/node/syncing')
  return Math.floor(Number(body.data.head_slot) / 8)
}

/** Where the response reports finality and fork. */
const meta = {
  EF: { execution_optimistic: false, finalized: true },
  VEF: { version: 'fulu', execution_optimistic: false, finalized: true },
  V: { version: 'fulu' },
  E: { execution_optimistic: false },
}

interface Operation {
  id: string
  path: () => string | Promise<string>
  request?: RequestInit
  /** The fields in addition to `data`. */
  envelope?: object
  /** Asserts the shape of `data`. */
  data: (data: Json) => void
  /** The codec of the SSZ form, if there is one. */
  bytes?: {
    deserialize: (bytes: Uint8Array, meta: Json) => Json
    toJson: (value: Json, meta: Json) => unknown
  }
}

const state = (path: string) => () => `/eth/v1/beacon/states/${fixed.state}/${path}`
const anything = (data: Json) => expect(data).toBeDefined()
const listOf = (length: number) => (data: Json) => expect(data).toHaveLength(length)
const definitions = () => ({
  ...routes.beacon.getDefinitions(validators.config),
  ...routes.debug.getDefinitions(validators.config),
  ...routes.lightclient.getDefinitions(validators.config),
  ...routes.validator.getDefinitions(validators.config),
})
/** The SSZ form of an operation, as the route table of the client library decodes it. */
const codec = (id: keyof ReturnType<typeof definitions>): NonNullable<Operation['bytes']> => ({
  deserialize: (bytes, envelope) => definitions()[id].resp.data.deserialize(bytes, envelope),
  toJson: (value, envelope) =>
    (definitions()[id].resp.data.toJson as (...args: Json[]) => unknown)(value, envelope),
})

const reading: readonly Operation[] = [
  {
    id: 'getGenesis',
    path: () => '/eth/v1/beacon/genesis',
    data: (data) => expect(Number(data.genesis_time)).toBeGreaterThan(1e9),
  },
  {
    id: 'getStateRoot',
    path: state('root'),
    envelope: meta.EF,
    data: (data) => expect(data.root).toBe(fixed.state),
  },
  {
    id: 'getStateFork',
    path: state('fork'),
    envelope: meta.EF,
    data: (data) => expect(data).toMatchObject({ current_version: expect.stringMatching(/^0x\w{8}$/) }),
  },
  {
    id: 'getStateFinalityCheckpoints',
    path: state('finality_checkpoints'),
    envelope: meta.EF,
    data: (data) =>
      expect(Object.keys(data)).toEqual(['previous_justified', 'current_justified', 'finalized']),
  },
  { id: 'getStateValidators', path: state('validators'), envelope: meta.EF, data: listOf(64) },
  {
    id: 'postStateValidators',
    path: state('validators'),
    request: json({ ids: ['1', '2'], statuses: ['active'] }),
    envelope: meta.EF,
    data: listOf(2),
  },
  {
    id: 'getStateValidator',
    path: state('validators/7'),
    envelope: meta.EF,
    data: (data) => expect(data).toMatchObject({ index: '7', status: 'active_ongoing' }),
  },
  {
    id: 'getStateValidatorBalances',
    path: state('validator_balances?id=1&id=2'),
    envelope: meta.EF,
    data: listOf(2),
    bytes: codec('getStateValidatorBalances'),
  },
  {
    id: 'postStateValidatorBalances',
    path: state('validator_balances'),
    request: json(['3']),
    envelope: meta.EF,
    data: listOf(1),
    bytes: codec('postStateValidatorBalances'),
  },
  {
    id: 'postStateValidatorIdentities',
    path: state('validator_identities'),
    request: json([]),
    envelope: meta.EF,
    data: listOf(64),
    bytes: codec('postStateValidatorIdentities'),
  },
  { id: 'getEpochCommittees', path: state('committees'), envelope: meta.EF, data: listOf(16) },
  {
    id: 'getEpochSyncCommittees',
    path: state('sync_committees'),
    envelope: meta.EF,
    data: (data) => {
      expect(data.validators).toHaveLength(32)
      expect(data.validator_aggregates.flat()).toEqual(data.validators)
    },
  },
  {
    id: 'getStateRandao',
    path: state('randao'),
    envelope: meta.EF,
    data: (data) => expect(data.randao).not.toBe(root('00')),
  },
  {
    id: 'getPendingConsolidations',
    path: state('pending_consolidations'),
    envelope: meta.VEF,
    data: listOf(0),
    bytes: codec('getPendingConsolidations'),
  },
  {
    id: 'getPendingDeposits',
    path: state('pending_deposits'),
    envelope: meta.VEF,
    data: listOf(0),
    bytes: codec('getPendingDeposits'),
  },
  {
    id: 'getPendingPartialWithdrawals',
    path: state('pending_partial_withdrawals'),
    envelope: meta.VEF,
    data: listOf(0),
    bytes: codec('getPendingPartialWithdrawals'),
  },
  {
    id: 'getProposerLookahead',
    path: state('proposer_lookahead'),
    envelope: meta.VEF,
    data: listOf(16),
    bytes: codec('getProposerLookahead'),
  },
  {
    id: 'getBlockHeaders',
    path: () => `/eth/v1/beacon/headers?slot=${fixed.slot}`,
    envelope: meta.EF,
    data: (data) => expect(data).toMatchObject([{ root: fixed.block, canonical: true }]),
  },
  {
    id: 'getBlockHeader',
    path: () => `/eth/v1/beacon/headers/${fixed.block}`,
    envelope: meta.EF,
    data: (data) => expect(data.header.message.state_root).toBe(fixed.state),
  },
  {
    id: 'getBlockV2',
    path: () => `/eth/v2/beacon/blocks/${fixed.block}`,
    envelope: meta.VEF,
    data: (data) => expect(data.message.slot).toBe(String(fixed.slot)),
    bytes: codec('getBlockV2'),
  },
  {
    id: 'getBlindedBlock',
    path: () => `/eth/v1/beacon/blinded_blocks/${fixed.block}`,
    envelope: meta.VEF,
    data: (data) => {
      const blinded = ssz.fulu.BlindedBeaconBlock.fromJson(data.message)
      // A blinded block has the root of the full one.
      expect(Buffer.from(ssz.fulu.BlindedBeaconBlock.hashTreeRoot(blinded)).toString('hex')).toBe(
        fixed.block.slice(2),
      )
    },
    bytes: codec('getBlindedBlock'),
  },
  {
    id: 'getBlockRoot',
    path: () => `/eth/v1/beacon/blocks/${fixed.block}/root`,
    envelope: meta.EF,
    data: (data) => expect(data.root).toBe(fixed.block),
  },
  {
    id: 'getBlockAttestationsV2',
    path: () => `/eth/v2/beacon/blocks/${fixed.block}/attestations`,
    envelope: meta.VEF,
    data: (data) => expect(data.length).toBeGreaterThan(0),
  },
  {
    id: 'getBlobs',
    path: () => `/eth/v1/beacon/blobs/${fixed.block}`,
    envelope: meta.EF,
    data: listOf(0),
    bytes: codec('getBlobs'),
  },
  {
    id: 'getSyncCommitteeRewards',
    path: () => `/eth/v1/beacon/rewards/sync_committee/${fixed.block}`,
    request: json([]),
    envelope: meta.EF,
    data: (data) => expect(Number(data[0].reward)).toBeGreaterThan(0),
  },
  {
    id: 'getBlockRewards',
    path: () => `/eth/v1/beacon/rewards/blocks/${fixed.block}`,
    envelope: meta.EF,
    data: (data) => {
      const { proposer_index: _proposer, total, ...parts } = data
      expect(Number(total)).toBeGreaterThan(0)
      expect(Object.values(parts).reduce<number>((sum, part) => sum + Number(part), 0)).toBe(Number(total))
    },
  },
  {
    id: 'getAttestationsRewards',
    path: () => `/eth/v1/beacon/rewards/attestations/${fixed.epoch - 2}`,
    request: json(['5']),
    envelope: meta.EF,
    data: (data) => {
      expect(data.total_rewards).toMatchObject([{ validator_index: '5', inactivity: '0' }])
      expect(Number(data.total_rewards[0].target)).toBeGreaterThan(0)
      expect(data.ideal_rewards.length).toBeGreaterThan(0)
    },
  },
  {
    id: 'getLightClientBootstrap',
    path: () => `/eth/v1/beacon/light_client/bootstrap/${fixed.block}`,
    envelope: meta.V,
    data: (data) => expect(data.header.beacon.slot).toBe(String(fixed.slot)),
    bytes: codec('getLightClientBootstrap'),
  },
  {
    id: 'getLightClientFinalityUpdate',
    path: () => '/eth/v1/beacon/light_client/finality_update',
    envelope: meta.V,
    data: anything,
  },
  {
    id: 'getLightClientOptimisticUpdate',
    path: () => '/eth/v1/beacon/light_client/optimistic_update',
    envelope: meta.V,
    data: anything,
  },
  {
    id: 'getPoolAttestationsV2',
    path: () => '/eth/v2/beacon/pool/attestations',
    envelope: meta.V,
    data: anything,
  },
  {
    id: 'getPoolAttesterSlashingsV2',
    path: () => '/eth/v2/beacon/pool/attester_slashings',
    envelope: meta.V,
    data: listOf(0),
  },
  { id: 'getPoolProposerSlashings', path: () => '/eth/v1/beacon/pool/proposer_slashings', data: listOf(0) },
  { id: 'getPoolVoluntaryExits', path: () => '/eth/v1/beacon/pool/voluntary_exits', data: listOf(0) },
  {
    id: 'getPoolBLSToExecutionChanges',
    path: () => '/eth/v1/beacon/pool/bls_to_execution_changes',
    data: listOf(0),
  },
  {
    id: 'getDebugDataColumnSidecars',
    path: () => `/eth/v1/debug/beacon/data_column_sidecars/${fixed.block}`,
    envelope: meta.VEF,
    data: listOf(0),
    bytes: codec('getDebugDataColumnSidecars'),
  },
  {
    id: 'getStateV2',
    path: () => `/eth/v2/debug/beacon/states/${fixed.state}`,
    envelope: meta.VEF,
    data: (data) => {
      const value = ssz.fulu.BeaconState.fromJson(data)
      expect(Buffer.from(ssz.fulu.BeaconState.hashTreeRoot(value)).toString('hex')).toBe(fixed.state.slice(2))
    },
    bytes: codec('getStateV2'),
  },
  {
    id: 'getDebugChainHeadsV2',
    path: () => '/eth/v2/debug/beacon/heads',
    data: (data) => expect(data).toMatchObject([{ execution_optimistic: false }]),
  },
  { id: 'getPeers', path: () => '/eth/v1/node/peers', envelope: { meta: { count: 0 } }, data: listOf(0) },
  {
    id: 'getPeerCount',
    path: () => '/eth/v1/node/peer_count',
    data: (data) =>
      expect(data).toEqual({ disconnected: '0', connecting: '0', connected: '0', disconnecting: '0' }),
  },
  {
    id: 'getNodeVersion',
    path: () => '/eth/v1/node/version',
    data: (data) => expect(data.version).toMatch(/^fairlead-devnet\/\d/),
  },
  {
    id: 'getNodeVersionV2',
    path: () => '/eth/v2/node/version',
    data: (data) => expect(data.beacon_node).toMatchObject({ name: 'fairlead-devnet' }),
  },
  {
    id: 'getSyncingStatus',
    path: () => '/eth/v1/node/syncing',
    data: (data) =>
      expect(data).toMatchObject({ is_syncing: false, is_optimistic: false, el_offline: false }),
  },
  {
    id: 'getForkSchedule',
    path: () => '/eth/v1/config/fork_schedule',
    data: (data) => expect(data.at(-1)).toMatchObject({ epoch: '0' }),
  },
  {
    id: 'getSpec',
    path: () => '/eth/v1/config/spec',
    data: (data) =>
      expect(data).toMatchObject({
        SLOTS_PER_EPOCH: '8',
        FULU_FORK_EPOCH: '0',
        DOMAIN_RANDAO: '0x02000000',
        BLOB_SCHEDULE: expect.any(Array),
      }),
  },
  {
    id: 'getDepositContract',
    path: () => '/eth/v1/config/deposit_contract',
    data: (data) => expect(data.address).toMatch(/^0x\w{40}$/),
  },
  {
    id: 'getAttesterDuties',
    path: () => `/eth/v1/validator/duties/attester/${fixed.epoch}`,
    request: json(['1', '2', '3']),
    envelope: { ...meta.E, dependent_root: expect.stringMatching(/^0x\w{64}$/) },
    data: listOf(3),
  },
  {
    id: 'getProposerDuties',
    path: () => `/eth/v1/validator/duties/proposer/${fixed.epoch}`,
    envelope: { ...meta.E, dependent_root: expect.stringMatching(/^0x\w{64}$/) },
    data: listOf(8),
  },
  {
    id: 'getProposerDutiesV2',
    path: () => `/eth/v2/validator/duties/proposer/${fixed.epoch}`,
    envelope: { ...meta.E, dependent_root: expect.stringMatching(/^0x\w{64}$/) },
    data: listOf(8),
  },
  {
    id: 'getSyncCommitteeDuties',
    // Duties are available only for the current sync committee period and the next one; the chain keeps advancing.
    path: async () => `/eth/v1/validator/duties/sync/${await currentEpoch()}`,
    request: json(Array.from({ length: 64 }, (_, index) => String(index))),
    envelope: meta.E,
    data: (data: { validator_sync_committee_indices: string[] }[]) =>
      expect(data.flatMap((duty) => duty.validator_sync_committee_indices)).toHaveLength(32),
  },
  {
    id: 'getLiveness',
    // Only the epochs next to the current one are available, and the chain keeps advancing.
    path: async () => `/eth/v1/validator/liveness/${await currentEpoch()}`,
    request: json(['1']),
    data: (data) => expect(data).toEqual([{ index: '1', is_live: expect.any(Boolean) }]),
  },
]

describe('read operations', () => {
  test.each(reading)('$id', async ({ path, request, envelope = {}, data, bytes }) => {
    const response = await sendRequest(node.url, await path(), request)
    expect(response).toMatchObject({ status: 200 })
    const { data: responseData, ...rest } = response.body
    expect(rest).toEqual(envelope)
    data(responseData)

    if (bytes === undefined) return
    const raw = await requestSsz(node.url, await path(), request)
    expect(raw).toMatchObject({ status: 200 })
    expect(raw.headers.get('content-type')).toBe('application/octet-stream')
    if ('version' in rest) expect(raw.headers.get('eth-consensus-version')).toBe('fulu')
    expect(bytes.toJson(bytes.deserialize(raw.body, rest), rest)).toEqual(responseData)
  })
})

test('an attesting validator is live', async () => {
  // Not in every epoch: on a busy machine a slot may pass without a block.
  const { body } = await until(
    async () => sendRequest(node.url, `/eth/v1/validator/liveness/${await currentEpoch()}`, json(['1'])),
    (response) => response.status === 200 && response.body.data[0].is_live,
  )
  expect(body).toEqual({ data: [{ index: '1', is_live: true }] })
})

test('light client updates are an array; in SSZ each is prefixed with its fork digest', async () => {
  const path = '/eth/v1/beacon/light_client/updates?start_period=0&count=200'
  const { body } = await until(
    () => sendRequest(node.url, path),
    (response) => response.body.length > 0,
  )
  expect(body[0]).toMatchObject({ version: 'fulu', data: { attested_header: {} } })
  const raw = await requestSsz(node.url, '/eth/v1/beacon/light_client/updates?start_period=0&count=1')
  const length = Number(new DataView(raw.body.buffer).getBigUint64(0, true))
  expect(length).toBe(raw.body.length - 8)
  const { config } = validators
  expect(raw.body.subarray(8, 12)).toEqual(
    new Uint8Array(config.forkBoundary2ForkDigest(config.getForkBoundaryAtEpoch(0))),
  )
  const update = ssz.fulu.LightClientUpdate.deserialize(raw.body.subarray(12))
  expect(update.nextSyncCommittee.pubkeys).toHaveLength(32)
})

test('the fork choice response has no envelope and encodes integers as strings', async () => {
  const { status, body } = await sendRequest(node.url, '/eth/v1/debug/fork_choice')
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual([
    'justified_checkpoint',
    'finalized_checkpoint',
    'fork_choice_nodes',
    'extra_data',
  ])
  const hash = expect.stringMatching(/^0x\w{64}$/)
  const integer = expect.stringMatching(/^\d+$/)
  for (const entry of body.fork_choice_nodes) {
    expect(entry).toEqual({
      slot: integer,
      block_root: hash,
      parent_root: hash,
      justified_epoch: integer,
      finalized_epoch: integer,
      weight: integer,
      validity: 'valid',
      execution_block_hash: hash,
      extra_data: {
        state_root: hash,
        target_root: hash,
        unrealized_justified_epoch: integer,
        unrealized_finalized_epoch: integer,
        best_child: expect.toBeOneOf([hash, null]),
        best_descendant: expect.toBeOneOf([hash, null]),
      },
    })
  }
  expect(body.fork_choice_nodes.map((entry: Json) => entry.block_root)).toContain(body.extra_data.head_root)
})

test('the health response has only a status', async () => {
  const { status, body } = await sendRequest(node.url, '/eth/v1/node/health')
  expect([status, body]).toEqual([200, new Uint8Array()])
})

test('the head state is the state of the head block', async () => {
  const header = await sendRequest(node.url, '/eth/v1/beacon/headers/head')
  const { slot, state_root: stateRoot } = header.body.data.header.message
  const byRoot = await sendRequest(node.url, `/eth/v1/beacon/states/${stateRoot}/root`)
  const bySlot = await sendRequest(node.url, `/eth/v1/beacon/states/${slot}/root`)
  expect([byRoot.body.data.root, bySlot.body.data.root]).toEqual([stateRoot, stateRoot])
  expect(byRoot.body.finalized).toBe(false)
})

describe('unsupported operations', () => {
  test.each(notOffered)('$method $path', async ({ method, path, reason }) => {
    const init = method === 'POST' ? json([]) : { method }
    const { status, body } = await sendRequest(node.url, path.replaceAll(/:\w+/g, '1'), init)
    expect([status, body]).toEqual([501, { code: 501, message: reason }])
  })
})

test('the proposers of the first epochs depend on the genesis block', async () => {
  const genesis = await sendRequest(node.url, '/eth/v1/beacon/blocks/genesis/root')
  for (const path of ['v1/validator/duties/proposer/0', 'v2/validator/duties/proposer/1']) {
    const { body } = await sendRequest(node.url, `/eth/${path}`)
    expect(body.dependent_root).toBe(genesis.body.data.root)
  }
})

test('a root may contain uppercase letters', async () => {
  const { body } = await sendRequest(node.url, '/eth/v1/beacon/blocks/head/root')
  const capital = `0x${body.data.root.slice(2).toUpperCase()}`
  const bootstrap = await sendRequest(node.url, `/eth/v1/beacon/light_client/bootstrap/${capital}`)
  expect(bootstrap.status).toBe(200)
})
