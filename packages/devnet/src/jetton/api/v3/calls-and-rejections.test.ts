import { Address, beginCell, contractAddress, storeMessage, toNano } from '@ton/core'
import { expect, test } from 'vitest'
import { useV3Server, type Input } from '../../../../test/jetton-v3.ts'
import { WalletV4 } from '../../chain/wallet-v4.ts'
import { operations } from './operations.ts'

const server = useV3Server()
const unusedAddress = `0:${'ab'.repeat(32)}`

/** Returns a signed message of the wallet that sends a coin to a new account. */
async function signed() {
  const { chain } = server
  const wallet = new WalletV4(Buffer.from(chain.example.wallet_seed, 'hex'))
  const { stack } = await chain.runGetMethod(wallet.address, 'seqno', [])
  const seqno = stack[0]?.type === 'int' ? Number(stack[0].value) : 0
  const transfer = { to: Address.parse(unusedAddress), value: toNano(1), bounce: false }
  return wallet.transfer(seqno, chain.head.genUtime + 3600, [transfer])
}

test('the operations are those of the interface', () => {
  const paths = operations.map(({ method, path }) => `${method} ${path}`)
  expect(new Set(paths).size).toBe(paths.length)
  expect(new Set(operations.map(({ path }) => path))).toEqual(
    new Set(
      [
        'masterchainInfo blocks masterchainBlockShardState masterchainBlockShards',
        'transactions pendingTransactions adjacentTransactions transactionsByMasterchainBlock transactionsByMessage',
        'messages addressBook metadata accountStates walletStates dns/records vesting',
        'nft/collections nft/items nft/transfers nft/sales topAccountsByBalance',
        'jetton/masters jetton/wallets jetton/transfers jetton/burns',
        'traces pendingTraces actions pendingActions multisig/wallets multisig/orders',
        'walletInformation addressInformation message estimateFee runGetMethod decode',
      ]
        .join(' ')
        .split(' '),
    ),
  )
})

test('a message is executed and costs the estimated fees', async () => {
  const message = await signed()
  const boc = beginCell().store(storeMessage(message)).endCell()
  const address = String(message.info.dest)
  const body = message.body.toBoc().toString('base64')
  const estimate = await server.post('estimateFee', {
    address,
    body,
    init_code: '',
    init_data: '',
    ignore_chksig: false,
  })
  expect(estimate.body).toEqual({
    source_fees: {
      in_fwd_fee: expect.any(Number),
      storage_fee: expect.any(Number),
      gas_fee: expect.any(Number),
      fwd_fee: expect.any(Number),
    },
    destination_fees: [expect.objectContaining({ gas_fee: 0 })],
  })
  expect(estimate.body.source_fees.gas_fee).toBeGreaterThan(0)
  const sent = await server.post('message', { boc: boc.toBoc().toString('base64') })
  const trace = server.chain.transactionByMessage(boc.hash())?.trace
  expect(sent.body).toEqual({
    message_hash: boc.hash().toString('base64'),
    message_hash_norm: trace?.externalHashNorm.toString('base64'),
  })
  const { transactions } = await server.rows('transactions', { account: unusedAddress })
  expect(transactions[0].in_msg.value).toBe(String(toNano(1)))
  expect(transactions[0].account_state_before).toMatchObject({ account_status: 'nonexist', balance: '0' })
  const again = await server.post('message', { boc: boc.toBoc().toString('base64') })
  expect([again.status, again.body]).toEqual([
    500,
    { error: expect.stringContaining('cannot apply external message to current state') },
  ])
})

test('no message is pending', async () => {
  const account = server.chain.example.wallet
  expect(await server.rows('pendingTransactions', { account })).toEqual({
    transactions: null,
    address_book: {},
  })
  expect(await server.rows('pendingTraces', { account })).toEqual({
    traces: null,
    address_book: {},
    metadata: {},
  })
  const input = { ext_msg_hash: 'cd'.repeat(32), include_transactions: true }
  expect(await server.rows('pendingActions', input)).toEqual({
    actions: null,
    address_book: {},
    metadata: {},
  })
})

test('every response has the version of the interface', async () => {
  expect((await server.get('masterchainInfo')).headers.get('x-api-version')).toMatch(/^\d+\.\d+\.\d+$/)
  expect((await server.get('nothing')).headers.get('x-api-version')).not.toBeNull()
})

const rejected: [path: string, input: Input, status: number, error: string][] = [
  ['transactions', { limit: 1001 }, 422, 'limit is not allowed: 1001 > 1000'],
  ['transactions', { limit: 'ten' }, 422, 'limit must be an integer of 32 bits'],
  ['transactions', { sort: 'up' }, 422, 'wrong value for sort parameter'],
  ['transactions', { account: '0:12' }, 422, 'account must be an address, raw or friendly'],
  ['transactions', { account: '' }, 422, 'account must be an address, raw or friendly'],
  ['transactions', { hash: 'zz' }, 422, 'hash must be a hash of 32 bytes, in hex or base64'],
  ['transactions', { hash: ['ab'.repeat(32), 'cd'.repeat(32)] }, 422, 'hash must be given once'],
  ['transactions', { lt: '-1' }, 422, 'lt must be a logical time'],
  ['transactions', { lt: 2n ** 64n }, 422, 'lt must be a logical time'],
  ['transactions', { start_utime: 'now' }, 422, 'start_utime must be a time in Unix seconds'],
  ['transactions', { shard: 'all' }, 422, 'shard must be a shard, in hex or signed decimal'],
  ['transactions', { seqno: '9'.repeat(10) }, 422, 'seqno must be an integer of 32 bits'],
  ['transactions', { mc_seqno: 1_000_000 }, 404, 'masterchain block 1000000 not found'],
  ['transactionsByMasterchainBlock', {}, 422, 'seqno is required'],
  ['transactionsByMasterchainBlock', { seqno: 1_000_000 }, 404, 'masterchain block 1000000 not found'],
  ['transactionsByMessage', {}, 422, 'at least one of msg_hash, body_hash, opcode should be specified'],
  ['adjacentTransactions', {}, 422, 'hash is required'],
  ['adjacentTransactions', { hash: 'ab'.repeat(32) }, 404, 'adjacent transactions not found'],
  ['messages', { direction: 'up' }, 422, 'direction must be one of: in, out'],
  ['messages', { opcode: 'transfer' }, 422, 'opcode must be an operation code, in hex or signed decimal'],
  ['messages', { only_externals: 'yes' }, 422, 'only_externals must be true or false'],
  ['masterchainBlockShardState', { seqno: 1_000_000 }, 404, 'blocks of masterchain block 1000000 not found'],
  ['masterchainBlockShards', { seqno: 1_000_000 }, 404, 'blocks of masterchain block 1000000 not found'],
  ['addressBook', {}, 422, 'at least one address is required'],
  ['metadata', {}, 422, 'at least one address is required'],
  ['accountStates', {}, 422, 'at least one address is required'],
  ['walletStates', {}, 422, 'at least one address is required'],
  [
    'jetton/wallets',
    { jetton_address: [unusedAddress, unusedAddress] },
    422,
    'owner_address is required for multiple jetton_address',
  ],
  [
    'traces',
    { account: unusedAddress, trace_id: 'ab'.repeat(32) },
    422,
    'only one of account, trace_id, tx_hash, msg_hash should be specified',
  ],
  ['actions', { action_type: 'a b' }, 422, 'action_type must be letters, digits, points and underscores'],
  ['pendingTransactions', {}, 422, 'at least one account is required'],
  ['pendingTraces', {}, 422, 'account or ext_msg_hash should be specified'],
  ['pendingActions', {}, 422, 'account or ext_msg_hash should be specified'],
  ['walletInformation', {}, 401, 'address is required'],
  ['addressInformation', {}, 401, 'address is required'],
  ['decode', { bodies: 'text' }, 422, 'bodies must be bags of cells, in base64 or hex'],
  ['nft/items', {}, 501, 'nft/items is not indexed by this chain'],
  ['dns/records', {}, 501, 'dns/records is not indexed by this chain'],
  ['vesting', {}, 501, 'vesting is not indexed by this chain'],
  ['multisig/orders', {}, 501, 'multisig/orders is not indexed by this chain'],
  ['nothing', {}, 404, 'cannot GET this path'],
  ['message', {}, 405, 'Method Not Allowed'],
]

test.each(rejected)('%s refuses %o', async (path, input, status, error) => {
  const response = await server.get(path, input)
  expect([response.status, response.body]).toEqual([status, { error }])
})

test('accepts a base64 hash with a hexadecimal prefix', async () => {
  for (const hash of [`0x${'A'.repeat(41)}=`, `0x${'ab'.repeat(32)}`]) {
    expect((await server.rows('transactions', { hash })).transactions).toBeNull()
  }
})

test('a long integer of a stack retains all digits', async () => {
  const init = { code: beginCell().storeUint(0x30, 8).endCell(), data: beginCell().endCell() }
  const address = contractAddress(0, init)
  await server.send([{ to: address, value: toNano(1), bounce: false, init }])
  const { body } = await server.post(
    'runGetMethod',
    `{"address":"${address.toString()}","method":"x","stack":[{"type":"num","value":1152921504606846977}]}`,
  )
  expect(body.stack).toEqual([{ type: 'num', value: '0x1000000000000001' }])
})

test('accepts a thousand values of a parameter, and no more', async () => {
  const input = { opcodes: Array.from({ length: 1001 }, () => '0') }
  expect(await server.post('decode', input)).toMatchObject({
    status: 422,
    body: { error: 'opcodes must have at most 1000 values' },
  })
})

const bodies: [path: string, body: unknown, status: number, error: string][] = [
  ['message', {}, 401, 'boc is required'],
  ['message', 'text', 422, 'the body must be a JSON object'],
  ['message', { boc: 'te6c' }, 422, 'boc'],
  ['runGetMethod', {}, 401, 'address is required'],
  ['runGetMethod', { address: unusedAddress }, 401, 'method is required'],
  ['runGetMethod', { address: unusedAddress, method: 'seqno', stack: {} }, 422, 'stack must be a list'],
  [
    'runGetMethod',
    { address: unusedAddress, method: 'seqno', stack: [{ type: 'list', value: [] }] },
    500,
    'num, cell and slice',
  ],
  [
    'runGetMethod',
    { address: unusedAddress, method: 'seqno', stack: [{ type: 'num', value: 'x' }] },
    422,
    'a number is no integer',
  ],
  ['decode', { opcodes: 5 }, 422, 'opcodes must be a list of texts'],
]

test.each(bodies)('%s refuses the body %o', async (path, body, status, error) => {
  const response = await server.post(path, body)
  expect([response.status, response.body]).toEqual([status, { error: expect.stringContaining(error) }])
})

test('the error for an unsupported HTTP method lists the allowed ones', async () => {
  expect((await server.post('transactions', {})).headers.get('allow')).toBe('GET')
  expect((await server.get('runGetMethod')).headers.get('allow')).toBe('POST')
})
