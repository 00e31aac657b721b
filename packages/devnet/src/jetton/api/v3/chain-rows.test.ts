import { Address } from '@ton/core'
import { beforeAll, expect, test } from 'vitest'
import { hashesOf, raw, useV3Server, type Json } from '../../../../test/jetton-v3.ts'
import type { Block, ChainTransaction } from '../../chain/jetton-chain.ts'

const server = useV3Server()
let all: readonly ChainTransaction[] = []
let newestFirst: readonly ChainTransaction[] = []
let sample: ChainTransaction
let wallet: Address
beforeAll(() => {
  all = server.chain.transactions
  newestFirst = all.toReversed()
  wallet = Address.parse(server.chain.example.wallet)
  const burn = server.chain.transaction(Buffer.from(server.chain.example.burn_hash, 'base64'))
  if (burn === undefined) throw new Error('the sample data has a burn')
  sample = burn
})

const hashes = (response: Json): string[] => (response.transactions ?? []).map(({ hash }: Json) => hash)

test('the latest and the oldest block of the masterchain', async () => {
  const { chain } = server
  const { last, first } = await server.rows('masterchainInfo')
  expect([last.seqno, first.seqno]).toEqual([chain.head.seqno, chain.oldest.seqno])
  expect(last).toMatchObject({
    workchain: -1,
    shard: '8000000000000000',
    root_hash: chain.head.rootHash.toString('base64'),
    gen_utime: String(chain.head.genUtime),
    global_id: chain.globalId,
    masterchain_block_ref: { workchain: -1, shard: '8000000000000000', seqno: chain.head.seqno },
  })
})

test('blocks by every filter', async () => {
  const { chain } = server
  const block = chain.block(sample.block) as Block
  const base64 = (hash: Buffer) => hash.toString('base64')
  const only = { workchain: 0, seqno: block.seqno }
  const filters = [
    { workchain: 0, shard: '8000000000000000', seqno: block.seqno },
    { workchain: 0, shard: '-9223372036854775808', seqno: block.seqno },
    { root_hash: base64(block.rootHash) },
    { file_hash: block.fileHash.toString('hex') },
    { workchain: 0, mc_seqno: block.masterSeqno },
    { workchain: 0, start_lt: block.startLt, end_lt: block.startLt },
  ]
  for (const filter of filters) {
    const { blocks } = await server.rows('blocks', filter)
    expect(blocks, Object.keys(filter).join()).toEqual([expect.objectContaining(only)])
  }
  const { blocks: ofRound } = await server.rows('blocks', { mc_seqno: block.masterSeqno, sort: 'asc' })
  expect(ofRound.map((row: Json) => row.workchain)).toEqual([0, -1])
  const { blocks: inTimeRange } = await server.rows('blocks', {
    workchain: 0,
    start_utime: block.genUtime,
    end_utime: block.genUtime,
    limit: 1000,
  })
  const expected = chain.blocks(0).filter(({ genUtime }) => genUtime === block.genUtime)
  expect(inTimeRange).toHaveLength(expected.length)
  expect((await server.rows('blocks', { shard: '4000000000000000' })).blocks).toBeNull()
  expect(ofRound[0].tx_count).toBe(block.transactions.length)
})

test('the shard of a round, and the blocks of a round', async () => {
  const seqno = sample.masterSeqno
  const { blocks: state } = await server.rows('masterchainBlockShardState', { seqno })
  expect(state).toEqual([expect.objectContaining({ workchain: 0, seqno: sample.block.seqno })])
  const { blocks: roundBlocks } = await server.rows('masterchainBlockShards', { seqno })
  expect(roundBlocks.map((row: Json) => [row.workchain, row.seqno])).toEqual([
    [0, sample.block.seqno],
    [-1, seqno],
  ])
  expect((await server.rows('masterchainBlockShards', { seqno, offset: 1 })).blocks).toHaveLength(1)
})

test('a transaction field by field', async () => {
  const { transactions, address_book } = await server.rows('transactions', {
    hash: sample.hash.toString('hex'),
  })
  const parsed = sample.parse()
  const { description, inMessage } = parsed
  if (description.type !== 'generic' || description.computePhase.type !== 'vm') throw new Error('it ran')
  const { storagePhase, creditPhase, computePhase, actionPhase } = description
  const base64 = (hash: bigint) => Buffer.from(hash.toString(16).padStart(64, '0'), 'hex').toString('base64')
  const incoming = parsed.raw.refs[0]?.refs[0]
  expect(transactions).toHaveLength(1)
  expect(transactions[0]).toMatchObject({
    account: sample.account.toUpperCase(),
    lt: String(parsed.lt),
    now: parsed.now,
    mc_block_seqno: sample.masterSeqno,
    trace_id: sample.trace.id.toString('base64'),
    trace_external_hash: sample.trace.externalHash.toString('base64'),
    prev_trans_hash: base64(parsed.prevTransactionHash),
    prev_trans_lt: String(parsed.prevTransactionLt),
    orig_status: 'active',
    end_status: 'active',
    total_fees: String(parsed.totalFees.coins),
    block_ref: { workchain: 0, shard: '8000000000000000', seqno: sample.block.seqno },
    account_state_before: { hash: parsed.stateUpdate.oldHash.toString('base64'), account_status: 'active' },
    account_state_after: { hash: parsed.stateUpdate.newHash.toString('base64') },
    emulated: false,
    finality: 'finalized',
  })
  expect(transactions[0].description).toMatchObject({
    type: 'ord',
    aborted: false,
    destroyed: false,
    credit_first: description.creditFirst,
    storage_ph: {
      storage_fees_collected: String(storagePhase?.storageFeesCollected),
      status_change: 'unchanged',
    },
    credit_ph: { credit: String(creditPhase?.credit.coins), credit_extra_currencies: {} },
    compute_ph: {
      skipped: false,
      success: true,
      gas_fees: String(computePhase.gasFees),
      gas_used: String(computePhase.gasUsed),
      gas_limit: String(computePhase.gasLimit),
      exit_code: 0,
      vm_steps: computePhase.vmSteps,
      vm_init_state_hash: base64(computePhase.vmInitStateHash),
    },
    action: {
      success: true,
      result_code: 0,
      tot_actions: 1,
      msgs_created: 1,
      action_list_hash: base64(actionPhase?.actionListHash ?? 0n),
      tot_msg_size: {
        cells: String(actionPhase?.totalMessageSize.cells),
        bits: String(actionPhase?.totalMessageSize.bits),
      },
    },
  })
  if (inMessage?.info.type !== 'internal') throw new Error('a contract sent it')
  expect(transactions[0].in_msg).toMatchObject({
    hash: incoming?.hash().toString('base64'),
    source: raw(inMessage.info.src),
    destination: sample.account.toUpperCase(),
    value: String(inMessage.info.value.coins),
    fwd_fee: String(inMessage.info.forwardFee),
    created_lt: String(inMessage.info.createdLt),
    created_at: String(inMessage.info.createdAt),
    opcode: '0x595f07bc',
    decoded_opcode: 'jetton_burn',
    bounce: true,
    bounced: false,
    import_fee: null,
    message_content: {
      hash: inMessage.body.hash().toString('base64'),
      body: inMessage.body.toBoc().toString('base64'),
      decoded: { '@type': 'jetton_burn', query_id: '0', amount: '30000000000' },
    },
    init_state: null,
  })
  expect(transactions[0].out_msgs).toHaveLength(parsed.outMessagesCount)
  expect(address_book[raw(wallet)]).toEqual({
    user_friendly: wallet.toString({ bounceable: false }),
    domain: null,
    interfaces: ['wallet_v4r2'],
  })
})

test('transactions by every filter', async () => {
  const block = { workchain: 0, shard: '8000000000000000', seqno: sample.block.seqno }
  const others = newestFirst.filter(({ account }) => account !== wallet.toRawString())
  const ofWallet = newestFirst.filter(({ account }) => account === wallet.toRawString())
  const ofBoth = newestFirst.filter(({ account }) => [wallet.toRawString(), sample.account].includes(account))
  const cases: [
    filter: Record<string, string | number | bigint | string[]>,
    expected: readonly ChainTransaction[],
  ][] = [
    [{}, newestFirst],
    [block, newestFirst.filter((item) => item.block.seqno === sample.block.seqno)],
    [{ workchain: -1 }, []],
    [{ mc_seqno: sample.masterSeqno }, newestFirst.filter((item) => item.masterSeqno === sample.masterSeqno)],
    [{ account: wallet.toString() }, ofWallet],
    [{ account: wallet.toRawString(), sort: 'asc' }, ofWallet.toReversed()],
    [{ account: [wallet.toString({ bounceable: false }), sample.account.toUpperCase()] }, ofBoth],
    [{ exclude_account: wallet.toString() }, others],
    [{ hash: sample.hash.toString('base64url') }, [sample]],
    [{ hash: `0x${sample.hash.toString('hex')}`, account: wallet.toString() }, []],
    [{ lt: sample.lt }, [sample]],
    [{ start_lt: sample.lt }, newestFirst.filter(({ lt }) => lt >= sample.lt)],
    [{ end_lt: sample.lt - 1n }, newestFirst.filter(({ lt }) => lt < sample.lt)],
    [{ start_utime: sample.now }, newestFirst.filter(({ now }) => now >= sample.now)],
    [{ end_utime: sample.now - 1 }, newestFirst.filter(({ now }) => now < sample.now)],
    [{ limit: 3, offset: 2 }, newestFirst.slice(2, 5)],
    [{ limit: 3, offset: 2, sort: 'a' }, all.slice(2, 5)],
    [{ limit: 0 }, newestFirst.slice(0, 1)],
    [{ offset: -5, limit: 2 }, newestFirst.slice(0, 2)],
  ]
  expect(new Set(cases.map(([, expected]) => expected.length)).size).toBeGreaterThan(5)
  for (const [filter, expected] of cases) {
    const response = await server.rows('transactions', filter)
    expect(
      hashes(response),
      JSON.stringify(filter, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    ).toEqual(hashesOf(expected.slice(0, 100)))
  }
})

test('transactions of a round, and adjacent transactions', async () => {
  const seqno = sample.masterSeqno
  const ofRound = all.filter(({ masterSeqno }) => masterSeqno === seqno)
  const response = await server.rows('transactionsByMasterchainBlock', { seqno, sort: 'asc', offset: 1 })
  expect(hashes(response)).toEqual(hashesOf(ofRound.slice(1)))
  const hash = sample.hash.toString('base64')
  const { parent, children } = sample
  if (parent === undefined) throw new Error('a contract sent the burn')
  expect(children).not.toHaveLength(0)
  const adjacent = async (direction: Record<string, string>) =>
    hashes(await server.rows('adjacentTransactions', { hash, ...direction }))
  expect(await adjacent({})).toEqual(hashesOf([parent, ...children]))
  expect(await adjacent({ direction: 'in' })).toEqual(hashesOf([parent]))
  expect(await adjacent({ direction: 'out' })).toEqual(hashesOf(children))
  const first = sample.trace.transactions[0] as ChainTransaction
  const noneFound = await server.get('adjacentTransactions', {
    hash: first.hash.toString('hex'),
    direction: 'in',
  })
  expect([noneFound.status, noneFound.body]).toEqual([404, { error: 'adjacent transactions not found' }])
})
