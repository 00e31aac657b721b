import { Address, toNano } from '@ton/core'
import { beforeAll, expect, test } from 'vitest'
import { useV2Server, type Json } from '../../../../test/jetton-v2.ts'

const server = useV2Server({ maxTransactions: 6 })
const shard = '-9223372036854775808'
let address = ''
let oldest: Json
let removed: Json

beforeAll(async () => {
  address = server.chain.example.wallet
  const account = Address.parse(address)
  await server.chain.fund(account, toNano(1))
  const [transaction] = await server.result('getTransactions', { address, limit: 1 })
  removed = {
    lt: transaction.transaction_id.lt,
    hash: transaction.transaction_id.hash,
    utime: transaction.utime,
  }
  removed.block = server.chain.blocks(0).at(-1)
  for (let count = 0; count < 6; count += 1) await server.chain.fund(account, toNano(1))
  oldest = server.chain.transactionsOf(account).at(0)
})

test('a history ends at the oldest stored transaction', async () => {
  const all = await server.result('getTransactions', { address, limit: 1000 })
  expect(all).toHaveLength(server.chain.transactionsOf(Address.parse(address)).length)
  expect(all.at(-1).transaction_id.lt).toBe(`${oldest.lt}`)
  const std = await server.result('getTransactionsStd', { address, limit: 1000 })
  const before = std.previous_transaction_id
  expect(BigInt(before.lt)).toBeGreaterThan(0n)
  for (const { lt, hash } of [before, removed]) {
    expect(await server.post('getTransactionsStd', { address, lt, hash })).toMatchObject({
      status: 500,
      body: { error: expect.stringMatching(/lt not in db$/) },
    })
  }
})

test('removed blocks are not replaced by the following ones', async () => {
  const { seqno, masterSeqno } = removed.block
  const unavailable = { status: 500, body: { error: expect.stringMatching(/^LITE_SERVER_UNKNOWN: /) } }
  const shardId = { workchain: 0, shard }
  expect(await server.post('lookupBlock', { ...shardId, lt: removed.lt })).toMatchObject(unavailable)
  expect(await server.post('lookupBlock', { ...shardId, seqno })).toMatchObject(unavailable)
  expect(await server.post('getBlockHeader', { ...shardId, seqno })).toMatchObject(unavailable)
  expect(await server.post('getShards', { seqno: masterSeqno })).toMatchObject(unavailable)
  expect(await server.post('getBlockTransactions', { ...shardId, seqno })).toMatchObject(unavailable)
  const { shards } = await server.result('getShards', { seqno: server.chain.head.seqno })
  expect(await server.result('lookupBlock', { ...shardId, lt: oldest.lt.toString() })).toMatchObject({
    seqno: oldest.block.seqno,
  })
  expect(shards[0].seqno).toBe(server.chain.blocks(0).at(-1)?.seqno)
})
