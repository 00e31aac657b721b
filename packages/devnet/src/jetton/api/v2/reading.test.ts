import { Address, beginCell, Cell, loadShardAccount, loadTransaction, toNano } from '@ton/core'
import { beforeAll, expect, test, vi } from 'vitest'
import { useV2Server, type Input, type Json } from '../../../../test/jetton-v2.ts'
import { methods } from './methods.ts'

const server = useV2Server()
const wholeShard = '-9223372036854775808'
const unusedAddress = `0:${'ab'.repeat(32)}`

let wallet = ''
let master = ''
let jettonWallet = ''
beforeAll(() => {
  const { example } = server.chain
  wallet = example.wallet
  master = example.jetton_master
  jettonWallet = example.jetton_wallet
})

test('the methods are those of the interface', () => {
  expect(Object.keys(methods).toSorted()).toEqual(
    [
      'detectAddress detectHash packAddress unpackAddress',
      'getAddressInformation getExtendedAddressInformation getShardAccountCell getWalletInformation',
      'getAddressBalance getAddressState getTokenData dnsResolve',
      'getMasterchainInfo getMasterchainBlockSignatures getShardBlockProof getConsensusBlock lookupBlock',
      'shards getShards getBlockHeader getOutMsgQueueSize',
      'getBlockTransactions getBlockTransactionsExt getTransactions getTransactionsStd',
      'tryLocateTx tryLocateResultTx tryLocateSourceTx',
      'getConfigParam getConfigAll getLibraries',
      'runGetMethod runGetMethodStd',
      'sendBoc sendBocReturnHash sendBocReturnHashNoError estimateFee',
    ]
      .join(' ')
      .split(' ')
      .toSorted(),
  )
})

/** Parameters with which every read method returns a result. */
function readings(): Record<string, Input> {
  const { chain } = server
  const base = chain.blocks(0).at(-1)
  const seqno = chain.head.seqno
  const block = { workchain: 0, shard: wholeShard, seqno: base?.seqno }
  const sent = chain.transactionsOf(Address.parse(wallet)).findLast(({ children }) => children.length > 0)
  const info = sent?.children[0]?.parse().inMessage?.info
  if (info?.type !== 'internal') throw new Error('the wallet sends a message to another account')
  const message = {
    source: info.src.toString(),
    destination: info.dest.toString(),
    created_lt: `${info.createdLt}`,
  }
  return {
    detectAddress: { address: wallet },
    detectHash: { hash: 'cd'.repeat(32) },
    packAddress: { address: wallet },
    unpackAddress: { address: wallet },
    getAddressInformation: { address: wallet, seqno },
    getExtendedAddressInformation: { address: wallet },
    getShardAccountCell: { address: wallet },
    getWalletInformation: { address: wallet },
    getAddressBalance: { address: wallet },
    getAddressState: { address: wallet },
    getTokenData: { address: master },
    getMasterchainInfo: {},
    lookupBlock: block,
    shards: { seqno },
    getShards: { seqno },
    getBlockHeader: block,
    getOutMsgQueueSize: {},
    getBlockTransactions: block,
    getBlockTransactionsExt: block,
    getTransactions: { address: wallet, limit: 2, archival: true },
    getTransactionsStd: { address: wallet, limit: 2 },
    tryLocateTx: message,
    tryLocateResultTx: message,
    tryLocateSourceTx: message,
    getConfigParam: { config_id: 17 },
    getConfigAll: {},
    getLibraries: { libraries: 'cd'.repeat(32) },
  }
}

test('every read method returns the same result by GET, POST and JSON-RPC', async () => {
  const inputs = readings()
  // Three of these have no result here, and one returns the time.
  const others = ['getMasterchainBlockSignatures', 'getShardBlockProof', 'getConsensusBlock', 'dnsResolve']
  const reading = Object.keys(methods).filter((name) => methods[name]?.verbs.includes('GET'))
  expect([...Object.keys(inputs), ...others].toSorted()).toEqual(reading.toSorted())
  for (const [method, parameters] of Object.entries(inputs)) {
    const body = method === 'getLibraries' ? { libraries: ['cd'.repeat(32)] } : parameters
    const [viaGet, posted, called] = await Promise.all([
      server.get(method, parameters),
      server.post(method, body),
      server.rpc(method, body),
    ])
    expect(viaGet.body, method).toEqual({ ok: true, result: expect.anything(), '@extra': expect.any(String) })
    expect([viaGet.status, posted.status, called.status]).toEqual([200, 200, 200])
    expect(posted.body.result).toEqual(viaGet.body.result)
    expect(called.body.result).toEqual(viaGet.body.result)
  }
})

test('addresses are detected in all their forms', async () => {
  const address = Address.parse('0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8')
  const forms: [input: string, type: string, testOnly: boolean][] = [
    [address.toRawString(), 'raw_form', false],
    [address.toRawString().toUpperCase(), 'raw_form', false],
    [address.toString(), 'friendly_bounceable', false],
    [address.toString({ bounceable: false }), 'friendly_non_bounceable', false],
    [address.toString({ urlSafe: false, testOnly: true }), 'friendly_bounceable', true],
  ]
  for (const [input, given_type, test_only] of forms) {
    const detected = await server.result('detectAddress', { address: input })
    expect(detected).toMatchObject({ '@type': 'ext.utils.detectedAddress', given_type, test_only })
    expect(detected.raw_form).toBe(address.toRawString())
    expect(detected.bounceable.b64url).toBe(address.toString({ testOnly: test_only }))
    expect(detected.non_bounceable.b64).toBe(
      address.toString({ bounceable: false, urlSafe: false, testOnly: test_only }),
    )
    expect(await server.result('packAddress', { address: input })).toBe(
      'EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N',
    )
    expect(await server.result('unpackAddress', { address: input })).toBe(address.toRawString().toUpperCase())
  }
})

test('hashes are detected in all their forms', async () => {
  const bytes = Buffer.alloc(32, 0xfb)
  for (const hash of [
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    `${bytes.toString('base64url')}=`,
  ]) {
    expect(await server.result('detectHash', { hash })).toEqual({
      '@type': 'ext.utils.detectedHash',
      b64: bytes.toString('base64'),
      b64url: bytes.toString('base64url'),
      hex: bytes.toString('hex'),
    })
  }
})

test('returns the state, sequence number and version of a wallet', async () => {
  const information = await server.result('getAddressInformation', { address: wallet })
  expect(information).toMatchObject({
    '@type': 'raw.fullAccountState',
    extra_currencies: [],
    frozen_hash: '',
    state: 'active',
    suspended: false,
    block_id: { workchain: -1, shard: wholeShard, seqno: server.chain.head.seqno },
  })
  const [last] = await server.result('getTransactions', { address: wallet, limit: 1 })
  expect(information.last_transaction_id).toEqual(last.transaction_id)
  const data = Cell.fromBase64(information.data).beginParse()
  const [seqno, wallet_id] = [data.loadUint(32), data.loadUint(32)]
  expect(seqno).toBeGreaterThan(0)
  expect(await server.result('getWalletInformation', { address: wallet })).toEqual({
    '@type': 'ext.accounts.walletInformation',
    wallet: true,
    balance: information.balance,
    account_state: 'active',
    last_transaction_id: information.last_transaction_id,
    wallet_type: 'wallet v4 r2',
    seqno,
    wallet_id,
  })
  const extended = await server.result('getExtendedAddressInformation', { address: wallet })
  expect(extended).toMatchObject({ '@type': 'fullAccountState', balance: information.balance, revision: 2 })
  expect(extended.account_state).toEqual({ '@type': 'wallet.v4.accountState', wallet_id, seqno })
  expect(await server.result('getAddressBalance', { address: wallet })).toBe(information.balance)
  const { bytes } = await server.result('getShardAccountCell', { address: wallet })
  const stored = loadShardAccount(Cell.fromBase64(bytes).beginParse())
  expect(`${stored.account?.storage.balance.coins}`).toBe(information.balance)
  expect(`${stored.lastTransactionLt}`).toBe(last.transaction_id.lt)
})

test('returns code and data of other contracts, and reports missing accounts as uninitialized', async () => {
  const contract = await server.result('getExtendedAddressInformation', { address: master })
  expect(contract).toMatchObject({ revision: 0, account_state: { '@type': 'raw.accountState' } })
  expect(Cell.fromBase64(contract.account_state.code).bits.length).toBeGreaterThan(0)
  expect(await server.result('getWalletInformation', { address: master })).toMatchObject({ wallet: false })
  expect(await server.result('getAddressInformation', { address: unusedAddress })).toMatchObject({
    balance: '0',
    code: '',
    data: '',
    state: 'uninitialized',
    last_transaction_id: { lt: '0', hash: Buffer.alloc(32).toString('base64') },
  })
  expect(await server.result('getExtendedAddressInformation', { address: unusedAddress })).toMatchObject({
    account_state: { '@type': 'uninited.accountState', frozen_hash: '' },
  })
  expect(await server.result('getAddressState', { address: unusedAddress })).toBe('uninitialized')
  expect(await server.result('getTransactions', { address: unusedAddress })).toEqual([])
})

test('identifies jetton masters, and wallets that their master confirms', async () => {
  const data = await server.result('getTokenData', { address: master })
  expect(data).toMatchObject({
    '@type': 'ext.tokens.jettonMasterData',
    address: master,
    contract_type: 'jetton_master',
    jetton_content: { type: 'onchain', data: { name: expect.any(String), symbol: expect.any(String) } },
  })
  const indexed = server.chain.index.masters.get(Address.parse(master).toRawString())
  expect(data.total_supply).toBe(`${indexed?.totalSupply}`)
  const walletData = await server.result('getTokenData', { address: jettonWallet })
  expect(walletData).toMatchObject({
    '@type': 'ext.tokens.jettonWalletData',
    contract_type: 'jetton_wallet',
    jetton: master,
    owner: wallet,
  })
  expect(Cell.fromBase64(walletData.jetton_wallet_code).hash()).toEqual(indexed?.walletCodeHash)
  expect(await server.get('getTokenData', { address: wallet })).toMatchObject({
    status: 409,
    body: { ok: false, code: 409, error: `Smart contract ${wallet} is not Jetton or NFT` },
  })
})

test('finds blocks by number, logical time and time, with their shards', async () => {
  const { last, init } = await server.result('getMasterchainInfo')
  expect(init.seqno).toBe(server.chain.genesis.seqno)
  expect(await server.result('getConsensusBlock')).toMatchObject({ consensus_block: last.seqno })
  const { shards } = await server.result('getShards', { seqno: last.seqno })
  expect(shards).toEqual((await server.result('shards', { seqno: last.seqno })).shards)
  expect(shards).toHaveLength(1)
  const { workchain, shard, seqno } = shards[0]
  const header = await server.result('getBlockHeader', { workchain, shard, seqno })
  expect(header).toMatchObject({ '@type': 'blocks.header', id: shards[0], global_id: server.chain.globalId })
  expect(header.prev_blocks).toHaveLength(1)
  const previous = header.prev_blocks[0]
  const position = { workchain, shard }
  expect(await server.result('lookupBlock', { ...position, seqno: previous.seqno })).toEqual(previous)
  expect(await server.result('lookupBlock', { ...position, lt: header.end_lt })).toEqual(shards[0])
  expect(await server.result('lookupBlock', { ...position, lt: header.start_lt })).toEqual(shards[0])
  const { shards: sizes } = await server.result('getOutMsgQueueSize')
  expect(sizes.map(({ id }: Json) => id)).toEqual([last, shards[0]])
})

test('finds the first block at a time', async () => {
  const shard = { workchain: 0, shard: wholeShard }
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2_000 })
  try {
    for (let count = 0; count < 2; count += 1) await server.chain.fund(Address.parse(wallet), toNano(1))
  } finally {
    vi.useRealTimers()
  }
  const [before, first, second] = server.chain.blocks(0).slice(-3)
  expect(second?.genUtime).toBe(first?.genUtime)
  expect(before?.genUtime).toBeLessThan(first?.genUtime ?? 0)
  const found = async (unixtime?: number): Promise<Json> =>
    server.result('lookupBlock', { ...shard, unixtime })
  expect(await found(first?.genUtime)).toMatchObject({ seqno: first?.seqno })
  expect(await found((before?.genUtime ?? 0) + 1)).toMatchObject({ seqno: first?.seqno })
})

test('pages transactions by a cursor', async () => {
  const page = async (input: Input): Promise<Json[]> =>
    server.result('getTransactions', { address: wallet, ...input })
  const all = await page({ limit: 1000 })
  expect(all).toHaveLength(server.chain.transactionsOf(Address.parse(wallet)).length)
  const [, second, third] = all
  const { lt, hash } = second.transaction_id
  expect(await page({ limit: 2, lt, hash })).toEqual([second, third])
  expect(await page({ limit: 1000, to_lt: third.transaction_id.lt })).toEqual(all.slice(0, 2))
  expect(await page({ limit: 1, lt: 0 })).toEqual(all.slice(0, 1))
  const std = await server.result('getTransactionsStd', { address: wallet, limit: 2 })
  expect(std.previous_transaction_id).toEqual(third.transaction_id)
  const rest = await server.result('getTransactionsStd', { address: wallet, limit: 1000 })
  expect(rest.previous_transaction_id).toMatchObject({ lt: '0' })
  expect(rest.transactions).toHaveLength(all.length)
})

test('a transaction has the fees, the messages and the cells of the chain', async () => {
  const chain = server.chain
    .transactionsOf(Address.parse(wallet))
    .findLast(({ children }) => children.length > 0)
  const parsed = loadTransaction(
    Cell.fromBoc(chain?.boc ?? Buffer.of())[0]?.beginParse() ?? Cell.EMPTY.beginParse(),
  )
  const [written] = await server.result('getTransactions', {
    address: wallet,
    lt: `${chain?.lt}`,
    hash: chain?.hash.toString('hex'),
    limit: 1,
  })
  expect(written).toMatchObject({
    '@type': 'ext.transaction',
    address: { '@type': 'accountAddress', account_address: wallet },
    account: Address.parse(wallet).toRawString().toUpperCase(),
    utime: chain?.now,
    in_msg: { '@type': 'ext.message', source: '', destination: wallet, value: '0', created_lt: '0' },
  })
  expect(Cell.fromBase64(written.data).hash()).toEqual(chain?.hash)
  const [out] = written.out_msgs
  const message = parsed.outMessages.get(0)
  const info = message?.info.type === 'internal' ? message.info : undefined
  expect(out).toMatchObject({
    source: wallet,
    destination: info?.dest.toString(),
    value: `${info?.value.coins}`,
    fwd_fee: `${info?.forwardFee}`,
    created_lt: `${info?.createdLt}`,
    body_hash: message?.body.hash().toString('base64'),
    msg_data: { '@type': 'msg.dataRaw', init_state: '' },
  })
  expect(BigInt(written.fee)).toBe(parsed.totalFees.coins + (info?.forwardFee ?? 0n))
  expect(BigInt(written.fee)).toBe(BigInt(written.storage_fee) + BigInt(written.other_fee))
  // The parent of a transaction is the one that sent its message, and its child is the one that received its message.
  const position = { source: wallet, destination: out.destination, created_lt: out.created_lt }
  expect(await server.result('tryLocateSourceTx', position)).toEqual(written)
  const receiver = await server.result('tryLocateTx', position)
  expect(receiver.in_msg).toEqual(out)
  expect(await server.result('tryLocateResultTx', position)).toEqual(receiver)
  expect(await server.post('tryLocateTx', { ...position, created_lt: 1 })).toMatchObject({
    status: 404,
    body: { error: 'transaction was not found' },
  })
})

test('pages the transactions of a block by account and logical time', async () => {
  const block = server.chain.blocks(0).findLast(({ transactions }) => transactions.length > 2)
  const position = { workchain: 0, shard: wholeShard, seqno: block?.seqno }
  const all = await server.result('getBlockTransactions', position)
  expect(all).toMatchObject({ '@type': 'blocks.transactions', req_count: 40, incomplete: false })
  expect(all.transactions).toHaveLength(block?.transactions.length ?? 0)
  const pages: Json[] = []
  for (let after = {}; ;) {
    const page = await server.result('getBlockTransactions', { ...position, count: 1, ...after })
    pages.push(...page.transactions)
    if (!page.incomplete) break
    const { account, lt } = page.transactions[0]
    after = { after_lt: lt, after_hash: account.slice(2).toLowerCase() }
  }
  expect(pages).toEqual(all.transactions)
  const long = await server.result('getBlockTransactionsExt', position)
  expect(
    long.transactions.map(({ account, transaction_id: { lt, hash } }: Json) => ({ account, lt, hash })),
  ).toEqual(all.transactions.map(({ account, lt, hash }: Json) => ({ account, lt, hash })))
})

test('returns the configuration of the network', async () => {
  const all = await server.result('getConfigAll')
  expect(Cell.fromBase64(all.config.bytes).hash()).toEqual(server.chain.config.hash())
  const { config } = await server.result('getConfigParam', { param: 19 })
  expect(Cell.fromBase64(config.bytes).beginParse().loadInt(32)).toBe(server.chain.globalId)
  expect(await server.get('getConfigParam', { config_id: 12_345 })).toMatchObject({
    status: 500,
    body: { error: 'LITE_SERVER_UNKNOWN: configuration parameter 12345 is not set' },
  })
  expect(await server.result('getLibraries', { libraries: [] })).toEqual({
    '@type': 'smc.libraryResult',
    result: [],
  })
})

test('reads an account at an older block only if it has not changed since', async () => {
  const { seqno } = server.chain.head
  const unchanged = await server.result('getAddressInformation', { address: master })
  await server.chain.fund(Address.parse(wallet), toNano(1))
  expect(await server.result('getAddressBalance', { address: master, seqno })).toBe(unchanged.balance)
  expect(await server.get('getAddressBalance', { address: wallet, seqno })).toMatchObject({
    status: 500,
    body: { error: `LITE_SERVER_UNKNOWN: state of block ${seqno} is already gc'd` },
  })
  const funded = await server.result('getTransactions', { address: wallet, limit: 1 })
  expect(funded[0].in_msg.value).toBe(`${toNano(1)}`)
  expect(beginCell().endCell().hash().toString('base64')).toBe(funded[0].in_msg.body_hash)
})

test('a page of transactions does not block the event loop', async () => {
  let turns = 0
  let hasEnded = false
  const count = (): void => {
    turns += 1
    if (!hasEnded) setImmediate(count)
  }
  setImmediate(count)
  const page = await methods['getTransactions']?.call(
    server.chain,
    { address: server.chain.example.wallet, limit: 1000 },
    'post',
  )
  hasEnded = true
  expect(turns).toBeGreaterThanOrEqual((page as Json[]).length)
})
