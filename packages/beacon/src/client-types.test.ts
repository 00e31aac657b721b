import { expectTypeOf, it } from 'vitest'
import {
  type BeaconClient,
  type BellatrixExecutionPayload,
  events,
  type FuluSignedBlockContents,
  getSsz,
  type Phase0Validator,
  postSsz,
  queryForSsz,
  streamData,
  streamSsz,
  streamState,
  unwrap,
  type ValidatorResponse,
} from './index.ts'

// This code never runs: it only checks which calls compile and which do not.
const typesOf = (calls: (beacon: BeaconClient) => Promise<void>): void => {
  expectTypeOf(calls).toBeFunction()
}

it('a response narrows on its version', () => {
  typesOf(async (beacon) => {
    const params = { path: { block_id: 'head' } }
    const block = await unwrap(beacon.GET('/eth/v2/beacon/blocks/{block_id}', { params }))
    expectTypeOf(block.finalized).toEqualTypeOf<boolean>()
    // @ts-expect-error the first forks have no payload
    block.data.message.body.execution_payload.toString()
    if (block.version === 'bellatrix') {
      expectTypeOf(block.data.message.body.execution_payload).toExtend<BellatrixExecutionPayload>()
      // @ts-expect-error withdrawals were added in capella
      block.data.message.body.execution_payload.withdrawals.toString()
    }
    if (block.version === 'fulu')
      expectTypeOf(block.data.message.body.execution_requests.deposits).toBeArray()
  })
})

it('a produced block narrows on whether it is blinded', () => {
  typesOf(async (beacon) => {
    const params = { path: { slot: '1' }, query: { randao_reveal: '0x' } }
    const block = await unwrap(beacon.GET('/eth/v3/validator/blocks/{slot}', { params }))
    if (block.version === 'fulu' && !block.execution_payload_blinded) {
      expectTypeOf(block.data.block.body.execution_payload.transactions).toBeArray()
    }
    if (block.version === 'fulu' && block.execution_payload_blinded) {
      expectTypeOf(block.data.body.execution_payload_header.transactions_root).toBeString()
    }
  })
})

it('an event narrows on its topic, among the requested topics', () => {
  typesOf(async (beacon) => {
    for await (const event of events(beacon, { topics: ['head', 'block'] })) {
      expectTypeOf(event.event).toEqualTypeOf<'head' | 'block' | 'gap'>()
      if (event.event === 'head') expectTypeOf(event.data.epoch_transition).toEqualTypeOf<boolean>()
      if (event.event === 'gap') expectTypeOf(event.data.attempts).toEqualTypeOf<number>()
      // @ts-expect-error a block has no state
      if (event.event === 'block') event.data.state.toString()
    }
    // @ts-expect-error no such topic
    for await (const _ of events(beacon, { topics: ['heads'] })) return
  })
})

it('SSZ is available for operations that support it', () => {
  typesOf(async (beacon) => {
    const params = { path: { state_id: 'head' } }
    const state = await getSsz(beacon, '/eth/v2/debug/beacon/states/{state_id}', { params })
    expectTypeOf(state.bytes).toEqualTypeOf<Uint8Array>()
    expectTypeOf(state.version).toExtend<string>()
    expectTypeOf(state.finalized).toEqualTypeOf<boolean | undefined>()
    const { stream } = await streamSsz(beacon, '/eth/v2/debug/beacon/states/{state_id}', {
      params,
      idleMs: 1,
    })
    expectTypeOf(stream).toEqualTypeOf<ReadableStream<Uint8Array>>()
    await queryForSsz(beacon, '/eth/v1/beacon/states/{state_id}/validator_identities', {
      params,
      body: ['1'],
    })
    // @ts-expect-error only JSON
    await getSsz(beacon, '/eth/v1/debug/fork_choice')
    // @ts-expect-error no block without a block id
    await getSsz(beacon, '/eth/v2/beacon/blocks/{block_id}')
  })
})

it('a POST in SSZ requires its fork and its JSON form', () => {
  typesOf(async (beacon) => {
    const ssz = new Uint8Array()
    const json = () => ({}) as FuluSignedBlockContents
    await postSsz(beacon, '/eth/v2/beacon/blocks', {
      version: 'fulu',
      ssz,
      json,
      params: { query: { broadcast_validation: 'consensus' } },
    })
    // @ts-expect-error the operation requires a fork
    await postSsz(beacon, '/eth/v2/beacon/blocks', { ssz, json })
    // @ts-expect-error the operation accepts JSON only
    await postSsz(beacon, '/eth/v1/beacon/pool/voluntary_exits', { ssz, json })
    await postSsz(beacon, '/eth/v1/validator/register_validator', { ssz, json: () => [] })
  })
})

it('lists are read item by item', () => {
  typesOf(async (beacon) => {
    const params = { path: { state_id: 'head' } }
    const validators = streamData(beacon, '/eth/v1/beacon/states/{state_id}/validators', { params })
    for await (const validator of validators) expectTypeOf(validator).toEqualTypeOf<ValidatorResponse>()
    expectTypeOf(validators.context.finalized).toEqualTypeOf<boolean | undefined>()
    // @ts-expect-error not a list
    streamData(beacon, '/eth/v1/beacon/genesis')
    const state = streamState(beacon, { state_id: 'head', lists: ['validators', 'balances'] })
    for await (const { list, item } of state) {
      if (list === 'validators') expectTypeOf(item).toEqualTypeOf<Phase0Validator>()
      else expectTypeOf(item).toEqualTypeOf<string>()
    }
    // @ts-expect-error no such list
    streamState(beacon, { state_id: 'head', lists: ['slot'] })
  })
})
