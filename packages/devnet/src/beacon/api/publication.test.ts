import {
  DOMAIN_AGGREGATE_AND_PROOF,
  DOMAIN_BEACON_ATTESTER,
  DOMAIN_BEACON_PROPOSER,
  DOMAIN_BLS_TO_EXECUTION_CHANGE,
  DOMAIN_CONTRIBUTION_AND_PROOF,
  DOMAIN_RANDAO,
  DOMAIN_SELECTION_PROOF,
  DOMAIN_SYNC_COMMITTEE,
  DOMAIN_SYNC_COMMITTEE_SELECTION_PROOF,
} from '@lodestar/params'
import { computeSigningRoot } from '@lodestar/state-transition'
import { ssz } from '@lodestar/types'
import { toHex } from '@lodestar/utils'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import {
  sendRequest,
  requestSsz,
  bytes,
  epochOf,
  json,
  useSteppedNode,
  Validators,
  type ApiResponse,
  type Json,
} from '../../../test/beacon.ts'

// Most messages are valid for one slot, which must not pass before they are posted.
const node = useSteppedNode()
let validators: Validators
beforeAll(async () => {
  validators = await Validators.of(node.url)
})

// The slashing test slashes these validators; they cannot propose afterwards.
const slashed: readonly number[] = [20, 21]
const allValidators = Array.from({ length: 64 }, (_, index) => String(index))
const root = (byte: number) => new Uint8Array(32).fill(byte)
const get = async (path: string): Promise<Json> => {
  const response = await sendRequest(node.url, path)
  expect(response).toMatchObject({ status: 200 })
  return response.body
}
const post = (path: string, body: Json) => sendRequest(node.url, path, json(body))
const headSlot = async () => Number((await get('/eth/v1/node/syncing')).data.head_slot)
const validatorOf = async (index: number) =>
  (await get(`/eth/v1/beacon/states/head/validators/${index}`)).data
const accepted = { status: 200, body: new Uint8Array() }

/** Advances slots until one has a block: slashed proposers leave their slots empty. */
async function nextHead(): Promise<void> {
  const before = await headSlot()
  do await node.nextSlot()
  while ((await headSlot()) === before)
}

/** Collects the events of the beacon node for the duration of a test. */
async function listen(...topics: string[]): Promise<{ event: string; data: Json }[]> {
  const received: { event: string; data: Json }[] = []
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const query = topics.map((topic) => `topics=${topic}`).join('&')
  const response = await fetch(`${node.url}/eth/v1/events?${query}`, { signal: abort.signal })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  void read(response).catch(() => undefined)
  return received

  async function read({ body }: Response): Promise<void> {
    let text = ''
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString()
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? []
        if (event !== undefined && data !== undefined) received.push({ event, data: JSON.parse(data) })
      }
    }
  }
}

test('streams only events of the requested topics', async () => {
  const received = await listen(
    'head',
    'block',
    'attestation',
    'contribution_and_proof',
    'payload_attributes',
  )
  await nextHead()
  await nextHead()
  await vi.waitUntil(() => received.filter(({ event }) => event === 'head').length >= 2, { timeout: 20_000 })
  const blocks = received.filter(({ event }) => event === 'block')
  const [head] = received.filter(({ event }) => event === 'head')
  expect(blocks.map(({ data }) => data.block)).toContain(head?.data.block)
  expect(head?.data).toEqual({
    slot: expect.stringMatching(/^\d+$/),
    block: expect.stringMatching(/^0x\w{64}$/),
    state: expect.stringMatching(/^0x\w{64}$/),
    epoch_transition: expect.any(Boolean),
    previous_duty_dependent_root: expect.stringMatching(/^0x\w{64}$/),
    current_duty_dependent_root: expect.stringMatching(/^0x\w{64}$/),
    execution_optimistic: false,
  })
  expect(new Set(received.map(({ event }) => event))).not.toContain('single_attestation')
  expect(received.map(({ event }) => event)).toContain('attestation')
})

test('a voluntary exit enters the pool, is included in a block and starts the exit', async () => {
  const validator = 9
  const received = await listen('voluntary_exit')
  const message = { epoch: epochOf(await headSlot()), validatorIndex: validator }
  const slot = message.epoch * 8
  const domain = validators.config.getDomainForVoluntaryExit(slot, slot)
  const signingRoot = computeSigningRoot(ssz.phase0.VoluntaryExit, message, domain)
  const signed = { message, signature: validators.signRoot(validator, signingRoot) }
  const exit = ssz.phase0.SignedVoluntaryExit.toJson(signed) as Json

  expect(await post('/eth/v1/beacon/pool/voluntary_exits', exit)).toMatchObject(accepted)
  expect((await get('/eth/v1/beacon/pool/voluntary_exits')).data).toEqual([exit])
  await nextHead()
  expect((await get('/eth/v2/beacon/blocks/head')).data.message.body.voluntary_exits).toEqual([exit])
  expect(await validatorOf(validator)).toMatchObject({ status: 'active_exiting' })
  expect((await get('/eth/v1/beacon/pool/voluntary_exits')).data).toEqual([])
  await vi.waitUntil(() => received.length > 0, { timeout: 20_000 })
  expect(received).toEqual([{ event: 'voluntary_exit', data: exit }])

  const again = await post('/eth/v1/beacon/pool/voluntary_exits', exit)
  expect(again).toMatchObject({ status: 400, body: { code: 400 } })
})

test('a valid change of withdrawal credentials is included in a block, also from a batch with an invalid one', async () => {
  const { data } = await get('/eth/v1/beacon/states/head/validators')
  const { index } = data.find((entry: Json) => entry.validator.withdrawal_credentials.startsWith('0x00'))
  const validator = Number(index)
  const message = {
    validatorIndex: validator,
    fromBlsPubkey: validators.keys[validator]?.toPublicKey().toBytes() ?? new Uint8Array(),
    toExecutionAddress: new Uint8Array(20).fill(7),
  }
  // The domain is that of the genesis fork, so that a change stays valid in every fork.
  const { config } = validators
  const domain = new Uint8Array(32)
  domain.set(DOMAIN_BLS_TO_EXECUTION_CHANGE)
  const forkData = {
    currentVersion: config.GENESIS_FORK_VERSION,
    genesisValidatorsRoot: config.genesisValidatorsRoot,
  }
  domain.set(ssz.phase0.ForkData.hashTreeRoot(forkData).subarray(0, 28), 4)
  const signingRoot = computeSigningRoot(ssz.capella.BLSToExecutionChange, message, domain)
  const signed = { message, signature: validators.signRoot(validator, signingRoot) }
  const valid = ssz.capella.SignedBLSToExecutionChange.toJson(signed) as Json
  const invalid = { ...valid, message: { ...valid.message, validator_index: '1' } }

  const response = await post('/eth/v1/beacon/pool/bls_to_execution_changes', [invalid, valid])
  expect(response).toMatchObject({ status: 400, body: { failures: [{ index: 0 }] } })
  expect(response.body.failures).toHaveLength(1)
  await nextHead()
  expect((await validatorOf(validator)).validator.withdrawal_credentials).toMatch(/^0x01/)
})

test('an attestation and its aggregate are pooled', async () => {
  await nextHead()
  const slot = await headSlot()
  const data = (await get(`/eth/v1/validator/attestation_data?slot=${slot}`)).data
  const raw = await requestSsz(node.url, `/eth/v1/validator/attestation_data?slot=${slot}`)
  const value = ssz.phase0.AttestationData.fromJson(data)
  expect(ssz.phase0.AttestationData.toJson(ssz.phase0.AttestationData.deserialize(raw.body))).toEqual(data)

  const duties = await post(`/eth/v1/validator/duties/attester/${epochOf(slot)}`, allValidators)
  const duty = duties.body.data.find((entry: Json) => Number(entry.slot) === slot)
  const attester = Number(duty.validator_index)
  const single = {
    committeeIndex: Number(duty.committee_index),
    attesterIndex: attester,
    data: value,
    signature: validators.sign(attester, DOMAIN_BEACON_ATTESTER, slot, ssz.phase0.AttestationData, value),
  }
  const posted = await post('/eth/v2/beacon/pool/attestations', [
    ssz.electra.SingleAttestation.toJson(single),
  ])
  expect(posted).toMatchObject(accepted)
  const wrong = { ...single, attesterIndex: 63 - attester }
  const failed = await post('/eth/v2/beacon/pool/attestations', [ssz.electra.SingleAttestation.toJson(wrong)])
  expect(failed).toMatchObject({ status: 400, body: { failures: [{ index: 0 }] } })

  const pool = await get(
    `/eth/v2/beacon/pool/attestations?slot=${slot}&committee_index=${duty.committee_index}`,
  )
  expect(pool.data).toMatchObject([{ data }])
  const dataRoot = toHex(ssz.phase0.AttestationData.hashTreeRoot(value))
  const query = `attestation_data_root=${dataRoot}&slot=${slot}&committee_index=${duty.committee_index}`
  const path = `/eth/v2/validator/aggregate_attestation?${query}`
  const response = await sendRequest(node.url, path)
  expect(response).toMatchObject({ status: 200, body: { version: 'fulu', data: { data } } })
  const aggregateBytes = await requestSsz(node.url, path)
  const aggregate = ssz.electra.Attestation.deserialize(aggregateBytes.body)
  expect(ssz.electra.Attestation.toJson(aggregate)).toEqual(response.body.data)

  const { AggregateAndProof, SignedAggregateAndProof } = ssz.electra
  const message = {
    aggregatorIndex: attester,
    aggregate,
    selectionProof: validators.sign(attester, DOMAIN_SELECTION_PROOF, slot, ssz.Slot, slot),
  }
  const signature = validators.sign(attester, DOMAIN_AGGREGATE_AND_PROOF, slot, AggregateAndProof, message)
  const signed = SignedAggregateAndProof.toJson({ message, signature })
  expect(await post('/eth/v2/validator/aggregate_and_proofs', [signed])).toMatchObject(accepted)
  const forged = SignedAggregateAndProof.toJson({ message, signature: message.selectionProof })
  const rejected = await post('/eth/v2/validator/aggregate_and_proofs', [signed, forged])
  expect(rejected).toMatchObject({ status: 400 })
  expect(rejected.body.failures.map((failure: Json) => failure.index)).toContain(1)
})

test('a sync committee message and its contribution are pooled', async () => {
  await nextHead()
  const header = (await get('/eth/v1/beacon/headers/head')).data
  const slot = Number(header.header.message.slot)
  const blockRoot = ssz.Root.fromJson(header.root)
  // In the last slot of a period the next committee signs, for the block after it.
  const duties = await post(`/eth/v1/validator/duties/sync/${epochOf(slot + 1)}`, allValidators)
  const [duty] = duties.body.data
  const member = Number(duty.validator_index)
  const subcommitteeIndex = Math.floor(Number(duty.validator_sync_committee_indices[0]) / 8)
  const message = {
    slot,
    beaconBlockRoot: blockRoot,
    validatorIndex: member,
    signature: validators.sign(member, DOMAIN_SYNC_COMMITTEE, slot, ssz.Root, blockRoot),
  }
  const posted = await post('/eth/v1/beacon/pool/sync_committees', [
    ssz.altair.SyncCommitteeMessage.toJson(message),
  ])
  expect(posted).toMatchObject(accepted)

  const query = `slot=${slot}&subcommittee_index=${subcommitteeIndex}&beacon_block_root=${header.root}`
  const { data } = await get(`/eth/v1/validator/sync_committee_contribution?${query}`)
  const contribution = ssz.altair.SyncCommitteeContribution.fromJson(data)
  const selection = { slot, subcommitteeIndex }
  const { ContributionAndProof, SignedContributionAndProof, SyncAggregatorSelectionData } = ssz.altair
  const proof = {
    aggregatorIndex: member,
    contribution,
    selectionProof: validators.sign(
      member,
      DOMAIN_SYNC_COMMITTEE_SELECTION_PROOF,
      slot,
      SyncAggregatorSelectionData,
      selection,
    ),
  }
  const signature = validators.sign(member, DOMAIN_CONTRIBUTION_AND_PROOF, slot, ContributionAndProof, proof)
  const signed = SignedContributionAndProof.toJson({ message: proof, signature })
  expect(await post('/eth/v1/validator/contribution_and_proofs', [signed])).toMatchObject(accepted)
  const forged = SignedContributionAndProof.toJson({ message: proof, signature: message.signature })
  expect(await post('/eth/v1/validator/contribution_and_proofs', [forged])).toMatchObject({ status: 400 })
})

test('accepts valid committee subscriptions', async () => {
  const committee = {
    validator_index: '1',
    committee_index: '0',
    committees_at_slot: '2',
    slot: '1',
    is_aggregator: true,
  }
  const sync = { validator_index: '1', sync_committee_indices: ['3'], until_epoch: '9' }
  const path = '/eth/v1/validator/'
  expect(await post(`${path}beacon_committee_subscriptions`, [committee])).toMatchObject(accepted)
  expect(await post(`${path}sync_committee_subscriptions`, [sync])).toMatchObject(accepted)
  const wrongCommittee = { ...committee, committee_index: '2' }
  expect(await post(`${path}beacon_committee_subscriptions`, [wrongCommittee])).toMatchObject({ status: 400 })
  const unknownValidator = { ...sync, validator_index: '64' }
  expect(await post(`${path}sync_committee_subscriptions`, [unknownValidator])).toMatchObject({ status: 400 })
})

/** A block that its proposer has signed. */
interface Proposal {
  slot: number
  /** The unsigned block, as the beacon node produced it. */
  block: Json
  signature: Uint8Array
  /** The complete response of the beacon node, and the request. */
  response: ApiResponse
  path: string
}

/**
 * Requests a block of the next slot as its proposer would, signs it and sends it during the slot before; the server
 * holds it until its slot begins.
 */
async function propose(send: (proposal: Proposal) => Promise<ApiResponse>): Promise<[Proposal, ApiResponse]> {
  for (;;) {
    const slot = node.chain.currentSlot + 1
    const epoch = epochOf(slot)
    const duties = await get(`/eth/v2/validator/duties/proposer/${epoch}`)
    const proposer = Number(duties.data.find((duty: Json) => Number(duty.slot) === slot).validator_index)
    if (slashed.includes(proposer)) {
      await node.nextSlot()
      continue
    }
    const reveal = toHex(validators.sign(proposer, DOMAIN_RANDAO, slot, ssz.Epoch, epoch))
    const path = `/eth/v3/validator/blocks/${slot}?randao_reveal=${reveal}&graffiti=0x${'ff'.repeat(32)}`
    const response = await sendRequest(node.url, path)
    expect(response).toMatchObject({ status: 200 })
    const { block } = response.body.data
    const value = ssz.fulu.BeaconBlock.fromJson(block)
    const signature = validators.sign(proposer, DOMAIN_BEACON_PROPOSER, slot, ssz.fulu.BeaconBlock, value)
    const proposal = { slot, block, signature, response, path }
    const nextBlock = nextImport()
    const sent = send(proposal)
    await Promise.race([nextBlock, sent])
    await node.nextSlot()
    return [proposal, await sent]
  }
}

/** Resolves when the server passes a block to the chain. */
function nextImport(): Promise<void> {
  const importBlock = node.chain.importBlock.bind(node.chain)
  return new Promise((resolve) => {
    vi.spyOn(node.chain, 'importBlock').mockImplementationOnce((block) => {
      const imported = importBlock(block)
      resolve()
      return imported
    })
  })
}

/** The JSON body of a publication. */
const contents = (message: Json, signature: Uint8Array) => ({
  signed_block: { message, signature: toHex(signature) },
  kzg_proofs: [],
  blobs: [],
})

const rootOf = (block: Json) => toHex(ssz.fulu.BeaconBlock.hashTreeRoot(ssz.fulu.BeaconBlock.fromJson(block)))

test('imports a block signed by its proposer and rejects one signed by another validator', async () => {
  const feeRecipient = `0x${'9a'.repeat(20)}`
  const preparations = allValidators.map((index) => ({ validator_index: index, fee_recipient: feeRecipient }))
  expect(await post('/eth/v1/validator/prepare_beacon_proposer', preparations)).toMatchObject(accepted)

  const [{ slot, block, signature, response, path }, imported] = await propose((proposal) =>
    post(
      '/eth/v2/beacon/blocks?broadcast_validation=consensus',
      contents(proposal.block, proposal.signature),
    ),
  )
  expect(imported).toMatchObject(accepted)
  expect(response.body).toMatchObject({
    version: 'fulu',
    execution_payload_blinded: false,
    execution_payload_value: '0',
    consensus_block_value: expect.stringMatching(/^\d+$/),
  })
  expect(response.headers.get('eth-execution-payload-blinded')).toBe('false')
  expect(block.body.graffiti).toBe(`0x${'ff'.repeat(32)}`)
  expect(block.body.execution_payload.fee_recipient.toLowerCase()).toBe(feeRecipient)
  expect((await get(`/eth/v2/beacon/blocks/${slot}`)).data).toEqual({
    message: block,
    signature: toHex(signature),
  })
  // The slot has a block now, so no other block can be produced for it.
  expect(await sendRequest(node.url, path)).toMatchObject({ status: 400 })

  const [, refused] = await propose((proposal) =>
    post('/eth/v2/beacon/blocks', contents(proposal.block, signature)),
  )
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringMatching(/signature/i) } })
})

test('a block is imported from SSZ', async () => {
  const [{ slot, block }, imported] = await propose(async (proposal) => {
    const raw = await requestSsz(node.url, proposal.path)
    expect(raw.headers.get('eth-consensus-version')).toBe('fulu')
    expect(ssz.fulu.BlockContents.deserialize(raw.body).block.slot).toBe(proposal.slot)
    const signedBlock = {
      message: ssz.fulu.BeaconBlock.fromJson(proposal.block),
      signature: proposal.signature,
    }
    const body = ssz.fulu.SignedBlockContents.serialize({ signedBlock, kzgProofs: [], blobs: [] })
    return sendRequest(node.url, '/eth/v2/beacon/blocks', bytes(body))
  })
  expect(imported).toMatchObject(accepted)
  expect((await get(`/eth/v1/beacon/blocks/${slot}/root`)).data.root).toBe(rootOf(block))
})

test('imports a blinded block whose payload this node built', async () => {
  const blind = ({ block, signature }: Proposal) => {
    const { execution_payload: payload, ...body } = block.body
    const full = ssz.fulu.ExecutionPayload.fromJson(payload)
    const header: Json = ssz.fulu.ExecutionPayloadHeader.toJson({
      ...full,
      transactionsRoot: ssz.bellatrix.Transactions.hashTreeRoot(full.transactions),
      withdrawalsRoot: ssz.capella.Withdrawals.hashTreeRoot(full.withdrawals),
    })
    const message = { ...block, body: { ...body, execution_payload_header: header } }
    return { message, signature: toHex(signature) }
  }
  const path = '/eth/v2/beacon/blinded_blocks'
  const [proposal, imported] = await propose((proposed) => post(path, blind(proposed)))
  expect(imported).toMatchObject(accepted)
  expect((await get(`/eth/v1/beacon/blocks/${proposal.slot}/root`)).data.root).toBe(rootOf(proposal.block))

  const unknown = blind(proposal)
  unknown.message.body.execution_payload_header.block_hash = `0x${'12'.repeat(32)}`
  expect(await post(path, unknown)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('not built here') },
  })
})

test('slashings are included in a block, slash the validators and pay the proposer', async () => {
  const [proposer = NaN, attester = NaN] = slashed
  const slot = await headSlot()
  const header = (byte: number) => {
    const message = {
      slot: BigInt(slot),
      proposerIndex: proposer,
      parentRoot: root(byte),
      stateRoot: root(0),
      bodyRoot: root(0),
    }
    const type = ssz.phase0.BeaconBlockHeaderBigint
    return { message, signature: validators.sign(proposer, DOMAIN_BEACON_PROPOSER, slot, type, message) }
  }
  const proposerSlashing = { signedHeader1: header(1), signedHeader2: header(2) }
  const attestation = (byte: number) => {
    const data = {
      slot: BigInt(slot),
      index: 0n,
      beaconBlockRoot: root(byte),
      source: { epoch: 0n, root: root(0) },
      target: { epoch: BigInt(epochOf(slot)), root: root(0) },
    }
    const type = ssz.phase0.AttestationDataBigint
    const signature = validators.sign(attester, DOMAIN_BEACON_ATTESTER, slot, type, data)
    return { attestingIndices: [attester], data, signature }
  }
  const attesterSlashing = { attestation1: attestation(1), attestation2: attestation(2) }

  const { ProposerSlashing } = ssz.phase0
  const { AttesterSlashing } = ssz.electra
  const byJson = await post(
    '/eth/v1/beacon/pool/proposer_slashings',
    ProposerSlashing.toJson(proposerSlashing),
  )
  const byBytes = await sendRequest(
    node.url,
    '/eth/v2/beacon/pool/attester_slashings',
    bytes(AttesterSlashing.serialize(attesterSlashing)),
  )
  expect([byJson.status, byBytes.status]).toEqual([200, 200])
  await nextHead()
  const { data } = await get('/eth/v1/beacon/states/head/validators?id=20&id=21')
  expect(data).toMatchObject([{ status: 'active_slashed' }, { status: 'active_slashed' }])
  const rewards = (await get('/eth/v1/beacon/rewards/blocks/head')).data
  expect(Number(rewards.proposer_slashings)).toBeGreaterThan(0)
  expect(Number(rewards.attester_slashings)).toBeGreaterThan(0)
})
