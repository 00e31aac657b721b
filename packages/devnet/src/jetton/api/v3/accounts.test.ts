import { Address, beginCell, Cell, toNano } from '@ton/core'
import { beforeAll, expect, test } from 'vitest'
import { comment, raw, useV3Server, type Json } from '../../../../test/jetton-v3.ts'
import { transferBody } from '../../jettons/sample-jetton.ts'

const server = useV3Server()
const otherAddress = Address.parseRaw(`0:${'5a'.repeat(32)}`)
const unusedAddress = Address.parseRaw(`0:${'ab'.repeat(32)}`)
let wallet: Address
let master: Address
let jettonWallet: Address
beforeAll(async () => {
  const { example } = server.chain
  wallet = Address.parse(example.wallet)
  master = Address.parse(example.jetton_master)
  jettonWallet = Address.parse(example.jetton_wallet)
  await server.send([
    { to: otherAddress, value: toNano(1), bounce: false, body: comment('for the receiver') },
    { to: jettonWallet, value: toNano('0.2'), body: transferBody(wallet, otherAddress, 77n) },
  ])
})

/** Calls a get method of a contract directly. */
async function runGetMethod(address: Address, method: string): Promise<Json[]> {
  const { stack } = await server.chain.runGetMethod(address, method, [])
  return stack.map((item) => (item.type === 'int' ? item.value : item))
}

test('the address book returns the user-friendly form of each address under its requested form', async () => {
  const requested = [wallet.toString(), raw(master), otherAddress.toRawString(), raw(unusedAddress)]
  const book = await server.rows('addressBook', { address: requested })
  expect(book).toEqual({
    [wallet.toString()]: row(wallet, false, ['wallet_v4r2']),
    [raw(master)]: row(master, true, ['jetton_master']),
    [otherAddress.toRawString()]: row(otherAddress, false, []),
    [raw(unusedAddress)]: row(unusedAddress, false, []),
  })
})

function row(address: Address, bounceable: boolean, interfaces: string[]) {
  return { user_friendly: address.toString({ bounceable }), domain: null, interfaces }
}

test('the metadata of a jetton wallet includes that of its jetton', async () => {
  const metadata = await server.rows('metadata', {
    address: [jettonWallet.toString(), unusedAddress.toString()],
  })
  const [balance] = await runGetMethod(jettonWallet, 'get_wallet_data')
  expect(metadata).toEqual({
    [raw(jettonWallet)]: {
      is_indexed: true,
      token_info: [
        {
          valid: true,
          type: 'jetton_wallets',
          extra: { balance: String(balance), owner: raw(wallet), jetton: raw(master) },
        },
      ],
    },
    [raw(master)]: {
      is_indexed: true,
      token_info: [
        {
          valid: true,
          type: 'jetton_masters',
          name: 'Sample Jetton',
          symbol: 'SAMPLE',
          description: 'A jetton of the development chain.',
          extra: { decimals: '9' },
        },
      ],
    },
  })
})

test('states of accounts, with and without code and data', async () => {
  const { accounts } = await server.rows('accountStates', {
    address: [raw(wallet), raw(otherAddress), raw(unusedAddress)],
  })
  const { account, lastTransactionHash, lastTransactionLt } = await server.chain.account(wallet)
  const state = account?.storage.state
  if (state?.type !== 'active') throw new Error('the wallet is deployed')
  expect(accounts).toHaveLength(2)
  expect(accounts[0]).toEqual({
    address: raw(wallet),
    account_state_hash: (await server.chain.summary(wallet)).hash.toString('base64'),
    balance: String(account?.storage.balance.coins),
    extra_currencies: {},
    status: 'active',
    last_transaction_hash: base64(lastTransactionHash),
    last_transaction_lt: String(lastTransactionLt),
    data_hash: state.state.data?.hash().toString('base64'),
    code_hash: state.state.code?.hash().toString('base64'),
    data_boc: expect.any(String),
    code_boc: expect.any(String),
    contract_methods: expect.arrayContaining([methodId('seqno'), methodId('get_public_key'), 0]),
    interfaces: ['wallet_v4r2'],
  })
  expect(Cell.fromBase64(accounts[0].data_boc).equals(state.state.data as Cell)).toBe(true)
  expect(accounts[1].contract_methods).toBeNull()
  expect(accounts[1]).toMatchObject({
    address: raw(otherAddress),
    status: 'uninit',
    balance: String(toNano(1)),
  })
  const without = await server.rows('accountStates', { address: raw(wallet), include_boc: false })
  expect(without.accounts[0]).not.toHaveProperty('code_boc')
  expect((await server.rows('accountStates', { address: raw(unusedAddress) })).accounts).toBeNull()
})

test('distinguishes wallets from other contracts', async () => {
  const { wallets } = await server.rows('walletStates', { address: [raw(wallet), raw(master)] })
  const [seqno] = await runGetMethod(wallet, 'seqno')
  expect(wallets[0]).toMatchObject({
    address: raw(wallet),
    is_wallet: true,
    wallet_type: 'wallet v4 r2',
    seqno: Number(seqno),
    wallet_id: 698983191,
    status: 'active',
  })
  expect(wallets[1]).toMatchObject({ address: raw(master), is_wallet: false, status: 'active' })
  expect(wallets[1]).not.toHaveProperty('wallet_type')
})

test('the richest accounts come first', async () => {
  const rows = await server.rows('topAccountsByBalance', { limit: 3, offset: 1 })
  const balances: [account: string, balance: bigint][] = []
  for (const account of server.chain.accounts()) {
    const { balance } = await server.chain.summary(Address.parseRaw(account))
    balances.push([account.toUpperCase(), balance])
  }
  const expected = balances.toSorted((left, right) => (left[1] < right[1] ? 1 : -1)).slice(1, 4)
  expect(rows).toEqual(expected.map(([account, balance]) => ({ account, balance: String(balance) })))
})

test('account data in the format of the v2 API', async () => {
  const account = await server.rows('addressInformation', { address: wallet.toString(), use_v2: false })
  const { balance } = await server.chain.summary(wallet)
  expect(account).toMatchObject({ balance: String(balance), status: 'active', frozen_hash: null })
  expect(Cell.fromBase64(account.code).hash()).toEqual((await server.chain.summary(wallet)).codeHash)
  const missing = await server.rows('addressInformation', { address: unusedAddress.toString() })
  expect(missing).toMatchObject({ balance: '0', status: 'uninit', code: null, data: null })
  expect(await server.rows('walletInformation', { address: wallet.toString() })).toMatchObject({
    balance: String(balance),
    wallet_type: 'wallet v4 r2',
    status: 'active',
  })
  const unusedWallet = await server.rows('walletInformation', { address: otherAddress.toString() })
  expect(unusedWallet).toMatchObject({ balance: String(toNano(1)), status: 'uninit' })
  expect(await server.get('walletInformation', { address: master.toString() })).toMatchObject({
    status: 409,
    body: { error: 'not a wallet' },
  })
})

test('a get method with arguments', async () => {
  const { body } = await server.post('runGetMethod', {
    address: master.toString(),
    method: 'get_wallet_address',
    stack: [{ type: 'slice', value: beginCell().storeAddress(wallet).endCell().toBoc().toString('base64') }],
  })
  expect(body).toEqual({
    gas_used: expect.any(Number),
    exit_code: 0,
    stack: [{ type: 'slice', value: expect.any(String) }],
  })
  expect(raw(Cell.fromBase64(body.stack[0].value).beginParse().loadAddress())).toBe(raw(jettonWallet))
  const seqno = await server.post('runGetMethod', { address: raw(wallet), method: 'seqno', stack: [] })
  const [expected] = await runGetMethod(wallet, 'seqno')
  expect(seqno.body.stack).toEqual([{ type: 'num', value: `0x${expected.toString(16)}` }])
  const missing = await server.post('runGetMethod', { address: raw(wallet), method: 'nothing' })
  expect(missing.body).toMatchObject({ exit_code: 11 })
})

function base64(hash: bigint): string {
  return Buffer.from(hash.toString(16).padStart(64, '0'), 'hex').toString('base64')
}

/** The number of a get method: CRC-16 of its name, and a bit that distinguishes it from message handlers. */
function methodId(name: string): number {
  let remainder = 0
  for (const byte of Buffer.from(name)) {
    remainder ^= byte << 8
    for (let bit = 0; bit < 8; bit++) {
      remainder = ((remainder << 1) ^ (remainder & 0x8000 ? 0x1021 : 0)) & 0xffff
    }
  }
  return remainder | 0x10000
}
