import { Address, toNano } from '@ton/core'
import { beforeAll, expect, test } from 'vitest'
import { v2OfThisFile, type Json } from '../../../../test/jetton-v2.ts'

const server = v2OfThisFile({ mostTransactions: 6 })
const shard = '-9223372036854775808'
let address = ''
let oldest: Json
let gone: Json

beforeAll(async () => {
  address = server.chain.example.wallet
  const account = Address.parse(address)
  await server.chain.fund(account, toNano(1))
  const [transaction] = await server.result('getTransactions', { address, limit: 1 })
  gone = {
    lt: transaction.transaction_id.lt,
    hash: transaction.transaction_id.hash,
    utime: transaction.utime,
  }
  gone.block = server.chain.blocks(0).at(-1)
  for (let count = 0; count < 6; count += 1) await server.chain.fund(account, toNano(1))
  oldest = server.chain.transactionsOf(account).at(0)
})

test('a history ends where the transactions that are kept end', async () => {
  const all = await server.result('getTransactions', { address, limit: 1000 })
  expect(all).toHaveLength(server.chain.transactionsOf(Address.parse(address)).length)
  expect(all.at(-1).transaction_id.lt).toBe(`${oldest.lt}`)
  const std = await server.result('getTransactionsStd', { address, limit: 1000 })
  const before = std.previous_transaction_id
  expect(BigInt(before.lt)).toBeGreaterThan(0n)
  for (const { lt, hash } of [before, gone]) {
    expect(await server.post('getTransactionsStd', { address, lt, hash })).toMatchObject({
      status: 500,
      body: { error: expect.stringMatching(/lt not in db$/) },
    })
  }
})

test('blocks that are gone are not mistaken for the ones that follow', async () => {
  const { seqno, masterSeqno } = gone.block
  const lost = { status: 500, body: { error: expect.stringMatching(/^LITE_SERVER_UNKNOWN: /) } }
  const place = { workchain: 0, shard }
  expect(await server.post('lookupBlock', { ...place, lt: gone.lt })).toMatchObject(lost)
  expect(await server.post('lookupBlock', { ...place, seqno })).toMatchObject(lost)
  expect(await server.post('getBlockHeader', { ...place, seqno })).toMatchObject(lost)
  expect(await server.post('getShards', { seqno: masterSeqno })).toMatchObject(lost)
  expect(await server.post('getBlockTransactions', { ...place, seqno })).toMatchObject(lost)
  const { shards } = await server.result('getShards', { seqno: server.chain.head.seqno })
  expect(await server.result('lookupBlock', { ...place, lt: oldest.lt.toString() })).toMatchObject({
    seqno: oldest.block.seqno,
  })
  expect(shards[0].seqno).toBe(server.chain.blocks(0).at(-1)?.seqno)
})
