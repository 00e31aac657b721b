import { Address, beginCell, toNano } from '@ton/core'
import { beforeAll, expect, test } from 'vitest'
import { comment, hashesOf, raw, useV3Server, type Input, type Json } from '../../../../test/jetton-v3.ts'
import type { ChainTransaction, Trace } from '../../chain/jetton-chain.ts'
import { WalletV4 } from '../../chain/wallet-v4.ts'

const server = useV3Server()
const otherWallet = new WalletV4(Buffer.alloc(32, 7))
const unknownCall = beginCell().storeUint(0x12345678, 32).endCell()
const forwarded = comment('thanks')
let wallet: Address
let master: Address
let jettonWallet: Address
let coinsTrace: Trace
let refused: Trace
let deployed: Trace
let transfer: Trace
let traces: Trace[] = []
beforeAll(async () => {
  const { chain } = server
  wallet = Address.parse(chain.example.wallet)
  master = Address.parse(chain.example.jetton_master)
  jettonWallet = Address.parse(chain.example.jetton_wallet)
  coinsTrace = await server.send([
    { to: otherWallet.address, value: toNano(1), bounce: false, body: comment('a gift') },
  ])
  refused = await server.send([{ to: master, value: toNano('0.1'), body: unknownCall }])
  const first = otherWallet.transfer(0, chain.head.genUtime + 3600, [{ to: wallet, value: toNano('0.1') }])
  deployed = (await chain.send(first)).trace
  const body = beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(42, 64)
    .storeCoins(5)
    .storeAddress(otherWallet.address)
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
const actionsOf = async (trace: Trace, filter: Input = {}): Promise<Json[]> =>
  (await server.rows('actions', { trace_id: id(trace), ...filter })).actions ?? []

test('traces by every filter', async () => {
  const newestFirst = traces.toReversed()
  const ofOther = newestFirst.filter(({ transactions }) =>
    transactions.some(({ account }) => account === otherWallet.address.toRawString()),
  )
  const { lt, now, masterSeqno } = lastOf(refused)
  const cases: [filter: Input, expected: readonly Trace[]][] = [
    [{}, newestFirst],
    [{ sort: 'asc', limit: 2, offset: 1 }, traces.slice(1, 3)],
    [{ account: otherWallet.address.toString() }, ofOther],
    [{ trace_id: [id(coinsTrace), transfer.id.toString('hex')] }, [transfer, coinsTrace]],
    [{ tx_hash: hashesOf(refused.transactions) }, [refused]],
    [{ msg_hash: coinsTrace.externalHash.toString('base64') }, [coinsTrace]],
    [{ msg_hash: coinsTrace.externalHashNorm.toString('base64') }, [coinsTrace]],
    [{ mc_seqno: masterSeqno }, [refused]],
    [{ end_lt: lt, sort: 'asc' }, traces.filter((trace) => lastOf(trace).lt <= lt)],
    [{ start_lt: lt }, newestFirst.filter((trace) => lastOf(trace).lt >= lt)],
    [{ start_utime: now }, newestFirst.filter((trace) => lastOf(trace).now >= now)],
    [{ end_utime: now - 1 }, newestFirst.filter((trace) => lastOf(trace).now < now)],
    [{ trace_id: 'ab'.repeat(32) }, []],
  ]
  expect(ofOther).toHaveLength(3)
  for (const [filter, expected] of cases) {
    const response = await server.rows('traces', filter)
    const found = response.traces === null ? [] : response.traces.map((trace: Json) => trace.trace_id)
    expect(found, Object.keys(filter).join()).toEqual(expected.map(id))
  }
})

test('a trace as a tree, with its transactions', async () => {
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
  expect(Object.keys(address_book)).toContain(raw(otherWallet.address))
  const without = await server.rows('traces', { trace_id: id(transfer) })
  expect(without.traces[0]).not.toHaveProperty('actions')
})

test('coins with a comment', async () => {
  const actions = await actionsOf(coinsTrace, { include_accounts: true })
  expect(actions).toHaveLength(1)
  expect(actions[0]).toMatchObject({
    trace_id: id(coinsTrace),
    type: 'ton_transfer',
    success: true,
    details: {
      source: raw(wallet),
      destination: raw(otherWallet.address),
      value: String(toNano(1)),
      value_extra_currencies: {},
      comment: 'a gift',
      encrypted: false,
    },
    transactions: hashesOf(coinsTrace.transactions.slice(1)),
    start_lt: String(lastOf(coinsTrace).lt),
    end_lt: String(lastOf(coinsTrace).lt),
    trace_end_lt: String(lastOf(coinsTrace).lt),
    trace_mc_seqno_end: lastOf(coinsTrace).masterSeqno,
    trace_external_hash: coinsTrace.externalHash.toString('base64'),
    trace_external_hash_norm: coinsTrace.externalHashNorm.toString('base64'),
    finality: 'finalized',
  })
  expect(actions[0].accounts.toSorted()).toEqual([raw(wallet), raw(otherWallet.address)].toSorted())
})

test('a bounced call', async () => {
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

test('a wallet that its first message deploys', async () => {
  const actions = await actionsOf(deployed)
  expect(new Set(actions.map(({ type }) => type))).toEqual(new Set(['contract_deploy', 'ton_transfer']))
  expect(actions.find(({ type }) => type === 'contract_deploy')).toMatchObject({
    details: { destination: raw(otherWallet.address) },
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
      receiver: raw(otherWallet.address),
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
  const [action] = await actionsOf(coinsTrace)
  const { end_lt: lt, end_utime: now } = action
  const ofOther = (await server.rows('actions', { limit: 1000, include_accounts: true })).actions.filter(
    ({ accounts }: Json) => accounts.includes(raw(otherWallet.address)),
  )
  const message = lastOf(coinsTrace).parse().raw.refs[0]?.refs[0]?.hash().toString('base64') ?? ''
  const cases: [filter: Input, expected: Json[]][] = [
    [{ limit: 3, offset: 2 }, all.slice(2, 5)],
    [{ limit: 1000, sort: 'asc' }, all.toReversed()],
    [{ action_id: action.action_id }, [action]],
    [{ tx_hash: action.transactions }, [action]],
    [{ msg_hash: message }, [action]],
    [{ trace_id: id(coinsTrace) }, [action]],
    [{ mc_seqno: action.trace_mc_seqno_end }, [action]],
    [{ account: otherWallet.address.toString() }, ofOther],
    [
      { action_type: ['ton_transfer', 'jetton_burn'] },
      all.filter(({ type }: Json) => /^(ton_t|jetton_b)/.test(type)),
    ],
    [{ exclude_action_type: 'ton_transfer' }, all.filter(({ type }: Json) => type !== 'ton_transfer')],
    [{ supported_action_types: 'latest', limit: 1000 }, all],
    [{ start_lt: lt, end_lt: lt }, [action]],
    [{ start_utime: now }, all.filter(({ end_utime }: Json) => end_utime >= now)],
    [{ end_utime: now - 1 }, all.filter(({ end_utime }: Json) => end_utime < now)],
    [{ tx_hash: 'ab'.repeat(32) }, []],
  ]
  expect(ofOther.length).toBeGreaterThan(2)
  expect(new Set(all.map(({ action_id }: Json) => action_id)).size).toBe(all.length)
  for (const [filter, expected] of cases) {
    const { actions } = await server.rows('actions', filter)
    const ids = (actions ?? []).map(({ action_id }: Json) => action_id)
    expect(ids, Object.keys(filter).join()).toEqual(expected.map(({ action_id }) => action_id))
  }
})
