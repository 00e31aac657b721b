import { Address, beginCell, toNano } from '@ton/core'
import { beforeAll, expect, test } from 'vitest'
import { comment, hashesOf, raw, v3OfThisFile, type Given, type Json } from '../../../../test/jetton-v3.ts'
import type { ChainTransaction, Trace } from '../../chain/jetton-chain.ts'
import { WalletV4 } from '../../chain/wallet-v4.ts'

const server = v3OfThisFile()
const stranger = new WalletV4(Buffer.alloc(32, 7))
const unknownCall = beginCell().storeUint(0x12345678, 32).endCell()
const forwarded = comment('thanks')
let wallet: Address
let master: Address
let jettonWallet: Address
let gift: Trace
let refused: Trace
let deployed: Trace
let transfer: Trace
let traces: Trace[] = []
beforeAll(async () => {
  const { chain } = server
  wallet = Address.parse(chain.example.wallet)
  master = Address.parse(chain.example.jetton_master)
  jettonWallet = Address.parse(chain.example.jetton_wallet)
  gift = await server.send([
    { to: stranger.address, value: toNano(1), bounce: false, body: comment('a gift') },
  ])
  refused = await server.send([{ to: master, value: toNano('0.1'), body: unknownCall }])
  const first = stranger.transfer(0, chain.head.genUtime + 3600, [{ to: wallet, value: toNano('0.1') }])
  deployed = (await chain.send(first)).trace
  const body = beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(42, 64)
    .storeCoins(5)
    .storeAddress(stranger.address)
    .storeAddress(wallet)
    .storeMaybeRef(null)
    .storeCoins(toNano('0.01'))
    .storeBit(true)
    .storeRef(forwarded)
    .endCell()
  transfer = await server.send([{ to: jettonWallet, value: toNano('0.2'), body }])
  traces = [...new Set(chain.transactions.map(({ trace }) => trace))]
})

const id = (trace: Trace) => trace.id.toString('base64')
const lastOf = (trace: Trace) => trace.transactions.at(-1) as ChainTransaction
const actionsOf = async (trace: Trace, given: Given = {}): Promise<Json[]> =>
  (await server.rows('actions', { trace_id: id(trace), ...given })).actions ?? []

test('traces by every filter', async () => {
  const newestFirst = traces.toReversed()
  const ofStranger = newestFirst.filter(({ transactions }) =>
    transactions.some(({ account }) => account === stranger.address.toRawString()),
  )
  const { lt, now, masterSeqno } = lastOf(refused)
  const cases: [given: Given, expected: readonly Trace[]][] = [
    [{}, newestFirst],
    [{ sort: 'asc', limit: 2, offset: 1 }, traces.slice(1, 3)],
    [{ account: stranger.address.toString() }, ofStranger],
    [{ trace_id: [id(gift), transfer.id.toString('hex')] }, [transfer, gift]],
    [{ tx_hash: hashesOf(refused.transactions) }, [refused]],
    [{ msg_hash: gift.externalHash.toString('base64') }, [gift]],
    [{ msg_hash: gift.externalHashNorm.toString('base64') }, [gift]],
    [{ mc_seqno: masterSeqno }, [refused]],
    [{ end_lt: lt, sort: 'asc' }, traces.filter((trace) => lastOf(trace).lt <= lt)],
    [{ start_lt: lt }, newestFirst.filter((trace) => lastOf(trace).lt >= lt)],
    [{ start_utime: now }, newestFirst.filter((trace) => lastOf(trace).now >= now)],
    [{ end_utime: now - 1 }, newestFirst.filter((trace) => lastOf(trace).now < now)],
    [{ trace_id: 'ab'.repeat(32) }, []],
  ]
  expect(ofStranger).toHaveLength(3)
  for (const [given, expected] of cases) {
    const answer = await server.rows('traces', given)
    const found = answer.traces === null ? [] : answer.traces.map((trace: Json) => trace.trace_id)
    expect(found, Object.keys(given).join()).toEqual(expected.map(id))
  }
})

test('a trace as a tree, with its transactions beside it', async () => {
  const { traces: rows, address_book } = await server.rows('traces', {
    trace_id: id(transfer),
    include_actions: true,
  })
  const { transactions } = transfer
  const hashes = hashesOf(transactions)
  const nodeOf = (transaction: ChainTransaction): Json => ({
    tx_hash: transaction.hash.toString('base64'),
    in_msg_hash: transaction.parse().raw.refs[0]?.refs[0]?.hash().toString('base64'),
    children: transaction.children.map(nodeOf),
  })
  const first = transactions[0] as ChainTransaction
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({
    trace_id: hashes[0],
    external_hash: transfer.externalHash.toString('base64'),
    mc_seqno_start: String(first.masterSeqno),
    mc_seqno_end: String(lastOf(transfer).masterSeqno),
    start_lt: String(first.lt),
    start_utime: first.now,
    end_lt: String(lastOf(transfer).lt),
    end_utime: lastOf(transfer).now,
    trace_info: {
      trace_state: 'complete',
      messages: transactions.length,
      transactions: transactions.length,
      pending_messages: 0,
      classification_state: 'ok',
    },
    is_incomplete: false,
    trace: nodeOf(first),
    transactions_order: hashes,
  })
  expect(Object.keys(rows[0].transactions).toSorted()).toEqual(hashes.toSorted())
  expect(rows[0].transactions[hashes[1] ?? ''].account).toBe(raw(jettonWallet))
  expect(rows[0].actions.map((action: Json) => action.type)).toContain('jetton_transfer')
  expect(Object.keys(address_book)).toContain(raw(stranger.address))
  const without = await server.rows('traces', { trace_id: id(transfer) })
  expect(without.traces[0]).not.toHaveProperty('actions')
})

test('coins with a comment', async () => {
  const actions = await actionsOf(gift, { include_accounts: true })
  expect(actions).toHaveLength(1)
  expect(actions[0]).toMatchObject({
    trace_id: id(gift),
    type: 'ton_transfer',
    success: true,
    details: {
      source: raw(wallet),
      destination: raw(stranger.address),
      value: String(toNano(1)),
      value_extra_currencies: {},
      comment: 'a gift',
      encrypted: false,
    },
    transactions: hashesOf(gift.transactions.slice(1)),
    start_lt: String(lastOf(gift).lt),
    end_lt: String(lastOf(gift).lt),
    trace_end_lt: String(lastOf(gift).lt),
    trace_mc_seqno_end: lastOf(gift).masterSeqno,
    trace_external_hash: gift.externalHash.toString('base64'),
    trace_external_hash_norm: gift.externalHashNorm.toString('base64'),
    finality: 'finalized',
  })
  expect(actions[0].accounts.toSorted()).toEqual([raw(wallet), raw(stranger.address)].toSorted())
})

test('a call that comes back', async () => {
  const actions = await actionsOf(refused, { include_transactions: true })
  expect(actions).toHaveLength(1)
  expect(actions[0]).toMatchObject({
    type: 'call_contract',
    success: false,
    details: {
      opcode: '0x12345678',
      source: raw(wallet),
      destination: raw(master),
      value: String(toNano('0.1')),
    },
    transactions: hashesOf(refused.transactions.slice(1)),
  })
  expect(actions[0].transactions_full.map(({ hash }: Json) => hash)).toEqual(actions[0].transactions)
  const [called, returned] = actions[0].transactions_full
  expect(called.description).toMatchObject({
    aborted: true,
    compute_ph: { success: false },
    bounce: { type: 'ok', msg_fees: expect.any(String), fwd_fees: expect.any(String) },
  })
  expect(returned.in_msg).toMatchObject({ bounced: true, opcode: '0xffffffff' })
})

test('a wallet that comes into being with its first message', async () => {
  const actions = await actionsOf(deployed)
  expect(new Set(actions.map(({ type }) => type))).toEqual(new Set(['contract_deploy', 'ton_transfer']))
  expect(actions.find(({ type }) => type === 'contract_deploy')).toMatchObject({
    details: { destination: raw(stranger.address) },
    transactions: hashesOf(deployed.transactions.slice(0, 1)),
  })
  const { transactions } = await server.rows('transactions', { hash: id(deployed) })
  expect(transactions[0]).toMatchObject({
    orig_status: 'uninit',
    end_status: 'active',
    account_state_before: { account_status: 'uninit', code_hash: null },
    in_msg: {
      init_state: { body: expect.any(String), decoded: null },
      hash_norm: deployed.externalHashNorm.toString('base64'),
    },
  })
})

test('a transfer, a burn and a mint of jettons', async () => {
  const [sent] = await actionsOf(transfer, { action_type: 'jetton_transfer' })
  const arrival = transfer.transactions[2] as ChainTransaction
  expect(sent).toMatchObject({
    success: true,
    details: {
      asset: raw(master),
      sender: raw(wallet),
      receiver: raw(stranger.address),
      sender_jetton_wallet: raw(jettonWallet),
      receiver_jetton_wallet: arrival.account.toUpperCase(),
      amount: '5',
      comment: 'thanks',
      is_encrypted_comment: false,
      query_id: '42',
      response_destination: raw(wallet),
      custom_payload: null,
      forward_payload: forwarded.toBoc().toString('base64'),
      forward_amount: String(toNano('0.01')),
    },
    transactions: expect.arrayContaining(hashesOf(transfer.transactions.slice(1))),
  })
  const { actions: burns } = await server.rows('actions', { action_type: 'jetton_burn', sort: 'asc' })
  expect(burns.map(({ details }: Json) => details)).toEqual(
    ['10000000000', '20000000000', '30000000000'].map((amount) => ({
      owner: raw(wallet),
      owner_jetton_wallet: raw(jettonWallet),
      asset: raw(master),
      amount,
    })),
  )
  const { index } = server.chain
  const { actions: mints, metadata } = await server.rows('actions', { action_type: 'jetton_mint' })
  expect(mints).toHaveLength(index.mints.length)
  expect(mints[0].details).toMatchObject({
    asset: raw(master),
    receiver: raw(wallet),
    receiver_jetton_wallet: raw(jettonWallet),
    amount: String(index.mints[0]?.amount),
  })
  expect(mints[0].transactions).toContain(index.mints[0]?.transaction.hash.toString('base64'))
  expect(metadata[raw(master)].token_info[0]).toMatchObject({ symbol: 'SAMPLE' })
})

test('actions by every filter', async () => {
  const { actions: all } = await server.rows('actions', { limit: 1000 })
  const [one] = await actionsOf(gift)
  const { end_lt: lt, end_utime: now } = one
  const ofStranger = (await server.rows('actions', { limit: 1000, include_accounts: true })).actions.filter(
    ({ accounts }: Json) => accounts.includes(raw(stranger.address)),
  )
  const message = lastOf(gift).parse().raw.refs[0]?.refs[0]?.hash().toString('base64') ?? ''
  const cases: [given: Given, expected: Json[]][] = [
    [{ limit: 3, offset: 2 }, all.slice(2, 5)],
    [{ limit: 1000, sort: 'asc' }, all.toReversed()],
    [{ action_id: one.action_id }, [one]],
    [{ tx_hash: one.transactions }, [one]],
    [{ msg_hash: message }, [one]],
    [{ trace_id: id(gift) }, [one]],
    [{ mc_seqno: one.trace_mc_seqno_end }, [one]],
    [{ account: stranger.address.toString() }, ofStranger],
    [
      { action_type: ['ton_transfer', 'jetton_burn'] },
      all.filter(({ type }: Json) => /^(ton_t|jetton_b)/.test(type)),
    ],
    [{ exclude_action_type: 'ton_transfer' }, all.filter(({ type }: Json) => type !== 'ton_transfer')],
    [{ supported_action_types: 'latest', limit: 1000 }, all],
    [{ start_lt: lt, end_lt: lt }, [one]],
    [{ start_utime: now }, all.filter(({ end_utime }: Json) => end_utime >= now)],
    [{ end_utime: now - 1 }, all.filter(({ end_utime }: Json) => end_utime < now)],
    [{ tx_hash: 'ab'.repeat(32) }, []],
  ]
  expect(ofStranger.length).toBeGreaterThan(2)
  expect(new Set(all.map(({ action_id }: Json) => action_id)).size).toBe(all.length)
  for (const [given, expected] of cases) {
    const { actions } = await server.rows('actions', given)
    const ids = (actions ?? []).map(({ action_id }: Json) => action_id)
    expect(ids, Object.keys(given).join()).toEqual(expected.map(({ action_id }) => action_id))
  }
})
