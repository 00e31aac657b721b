import { Address, toNano } from '@ton/core'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  comment,
  raw,
  useV3Server,
  type Input,
  type Json,
  type V3Server,
} from '../../../../test/jetton-v3.ts'
import { burnBody, transferBody } from '../../jettons/sample-jetton.ts'

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
  await sendToOther(server)
})

/** Sends coins and jettons from the sample wallet. */
async function sendToOther({ chain, send }: V3Server): Promise<void> {
  const from = Address.parse(chain.example.wallet)
  const to = Address.parse(chain.example.jetton_wallet)
  await send([
    { to: otherAddress, value: toNano(1), bounce: false, body: comment('for the receiver') },
    { to, value: toNano('0.2'), body: transferBody(from, otherAddress, 77n) },
  ])
}

/** Calls a get method of a contract directly. */
async function runGetMethod(address: Address, method: string): Promise<Json[]> {
  const { stack } = await server.chain.runGetMethod(address, method, [])
  return stack.map((item) => (item.type === 'int' ? item.value : item))
}

test('the jetton', async () => {
  const [supply, mintable] = await runGetMethod(master, 'get_jetton_data')
  const { codeHash, dataHash } = await server.chain.summary(master)
  const expected = {
    address: raw(master),
    total_supply: String(supply),
    mintable: mintable !== 0n,
    admin_address: raw(wallet),
    jetton_content: {
      name: 'Sample Jetton',
      symbol: 'SAMPLE',
      decimals: '9',
      description: 'A jetton of the development chain.',
    },
    code_hash: codeHash?.toString('base64'),
    data_hash: dataHash?.toString('base64'),
    last_transaction_lt: String((await server.chain.account(master)).lastTransactionLt),
  }
  for (const filter of [{}, { address: master.toString() }, { admin_address: raw(wallet) }]) {
    const { jetton_masters, address_book } = await server.rows('jetton/masters', filter)
    expect(jetton_masters).toEqual([expect.objectContaining(expected)])
    expect(Object.keys(address_book)).toContain(raw(wallet))
  }
  expect(
    (await server.rows('jetton/masters', { admin_address: raw(unusedAddress) })).jetton_masters,
  ).toBeNull()
})

test('wallets of the jetton by every filter', async () => {
  const rows = async (filter: Input): Promise<Json[]> =>
    (await server.rows('jetton/wallets', filter)).jetton_wallets ?? []
  const all = await rows({})
  expect(all).toHaveLength(4)
  for (const { address, balance, owner, jetton } of all) {
    const [contractBalance] = await runGetMethod(Address.parse(address), 'get_wallet_data')
    expect([balance, jetton]).toEqual([String(contractBalance), raw(master)])
    expect(await rows({ owner_address: owner })).toEqual(all.filter((row) => row.owner === owner))
  }
  expect(await rows({ address: jettonWallet.toString() })).toEqual(
    all.filter((row) => row.owner === raw(wallet)),
  )
  expect(await rows({ jetton_address: master.toString(), limit: 2, offset: 1 })).toEqual(all.slice(1, 3))
  expect(await rows({ jetton_address: unusedAddress.toString() })).toEqual([])
  const balances = all.map(({ balance }) => BigInt(balance)).toSorted((left, right) => Number(left - right))
  expect((await rows({ sort: 'asc' })).map(({ balance }) => BigInt(balance))).toEqual(balances)
  expect((await rows({ sort: 'desc' })).map(({ balance }) => BigInt(balance))).toEqual(balances.toReversed())
  const { balance } = all.find((row) => row.owner === raw(otherAddress))
  expect(balance).toBe('77')
})

test('transfers of the jetton by every filter', async () => {
  const { index } = server.chain
  const newestFirst = index.transfers.toReversed()
  const transfer = index.transfers.find(({ amount }) => amount === 77n)
  if (transfer === undefined) throw new Error('no transfer to the other account')
  const { transaction } = transfer
  const later = newestFirst.filter((row) => row.transaction.lt > transaction.lt)
  const toOther = newestFirst.filter(({ destination }) => destination === otherAddress.toRawString())
  const cases: [filter: Input, expected: typeof newestFirst][] = [
    [{}, newestFirst],
    [{ sort: 'asc' }, newestFirst.toReversed()],
    [{ limit: 1, offset: 1 }, newestFirst.slice(1, 2)],
    [{ owner_address: otherAddress.toString() }, toOther],
    [{ owner_address: otherAddress.toString(), direction: 'in' }, toOther],
    [{ owner_address: otherAddress.toString(), direction: 'out' }, []],
    [{ owner_address: wallet.toString(), direction: 'out' }, newestFirst],
    [{ jetton_wallet: jettonWallet.toString() }, newestFirst],
    [{ jetton_master: master.toString() }, newestFirst],
    [{ jetton_master: unusedAddress.toString() }, []],
    [{ start_lt: transaction.lt + 1n }, later],
    [
      {
        start_utime: transaction.now,
        end_utime: transaction.now,
        end_lt: transaction.lt,
        start_lt: transaction.lt,
      },
      [transfer],
    ],
  ]
  for (const [filter, expected] of cases) {
    const { jetton_transfers } = await server.rows('jetton/transfers', filter)
    const hashes = (jetton_transfers ?? []).map((row: Json) => row.transaction_hash)
    expect(hashes, Object.keys(filter).join()).toEqual(
      expected.map((row) => row.transaction.hash.toString('base64')),
    )
  }
  const { jetton_transfers } = await server.rows('jetton/transfers', { end_lt: transaction.lt, limit: 1 })
  expect(jetton_transfers[0]).toEqual({
    query_id: '0',
    source: raw(wallet),
    destination: raw(otherAddress),
    amount: '77',
    source_wallet: raw(jettonWallet),
    jetton_master: raw(master),
    transaction_hash: transaction.hash.toString('base64'),
    transaction_lt: String(transaction.lt),
    transaction_now: transaction.now,
    transaction_aborted: false,
    trace_id: transaction.trace.id.toString('base64'),
    response_destination: raw(wallet),
    custom_payload: null,
    decoded_custom_payload: null,
    forward_ton_amount: '0',
    forward_payload: null,
    decoded_forward_payload: null,
  })
})

test('burns of the jetton by every filter', async () => {
  const { chain } = server
  const newestFirst = chain.index.burns.toReversed()
  expect(newestFirst).toHaveLength(3)
  const lt = newestFirst[0]?.transaction.lt ?? 0n
  const now = newestFirst[0]?.transaction.now ?? 0
  const cases: [filter: Input, expected: typeof newestFirst][] = [
    [{}, newestFirst],
    [{ sort: 'asc', limit: 2 }, newestFirst.toReversed().slice(0, 2)],
    [{ offset: 2 }, newestFirst.slice(2)],
    [{ jetton_master: raw(master) }, newestFirst],
    [{ jetton_master: raw(unusedAddress) }, []],
    [{ owner_address: raw(wallet) }, newestFirst],
    [{ address: raw(wallet) }, newestFirst],
    // The parameter is the owner here, so a jetton master has no burns.
    [{ address: raw(master) }, []],
    [{ jetton_wallet: [raw(jettonWallet), raw(unusedAddress)] }, newestFirst],
    [{ end_lt: lt - 1n }, newestFirst.slice(1)],
    [{ start_lt: lt, start_utime: now, end_utime: now }, newestFirst.slice(0, 1)],
  ]
  for (const [filter, expected] of cases) {
    const { jetton_burns } = await server.rows('jetton/burns', filter)
    const hashes = (jetton_burns ?? []).map((row: Json) => row.transaction_hash)
    expect(hashes, Object.keys(filter).join()).toEqual(
      expected.map((row) => row.transaction.hash.toString('base64')),
    )
  }
  const { jetton_burns, metadata } = await server.rows('jetton/burns')
  expect(jetton_burns[0]).toMatchObject({
    owner: raw(wallet),
    jetton_wallet: raw(jettonWallet),
    jetton_master: raw(master),
    transaction_hash: chain.example.burn_hash,
    amount: '30000000000',
    decoded_custom_payload: { '@type': 'text_comment', comment: 'Burned for the sample data' },
  })
  const long = newestFirst[1]?.customPayload?.beginParse().skip(32).loadStringTail()
  expect(long?.length).toBeGreaterThan(100)
  expect(jetton_burns[1].decoded_custom_payload.comment).toBe(long)
  expect(jetton_burns[2]).toMatchObject({ custom_payload: null, decoded_custom_payload: null })
  expect(metadata[raw(master)].token_info[0]).toMatchObject({ type: 'jetton_masters', symbol: 'SAMPLE' })
})

test('a header or a parameter omits the address book and the metadata', async () => {
  const book = { 'x-no-address-book': 'true' }
  const all = await server.rows('jetton/burns')
  expect([all.address_book, all.metadata].map((part) => Object.keys(part).length > 0)).toEqual([true, true])
  expect(await server.rows('jetton/burns', {}, book)).toEqual({ ...all, address_book: {} })
  expect(await server.rows('jetton/burns', {}, { 'X-No-Metadata': '1' })).toEqual({ ...all, metadata: {} })
  expect(await server.rows('jetton/burns', { no_metadata: true })).toEqual({ ...all, metadata: {} })
})

describe('a chain with jetton transfers', () => {
  const moving = useV3Server()
  let owner: Address
  let ownWallet: Address
  beforeAll(async () => {
    owner = Address.parse(moving.chain.example.wallet)
    ownWallet = Address.parse(moving.chain.example.jetton_wallet)
    await sendToOther(moving)
  })

  test('omits empty jetton wallets on request', async () => {
    const before = (await moving.rows('jetton/wallets', { exclude_zero_balance: true })).jetton_wallets
    const { stack } = await moving.chain.runGetMethod(ownWallet, 'get_wallet_data', [])
    const contractBalance = stack[0]?.type === 'int' ? stack[0].value : 0n
    await moving.send([
      { to: ownWallet, value: toNano('0.2'), body: transferBody(owner, otherAddress, contractBalance) },
    ])
    const after = (await moving.rows('jetton/wallets', { exclude_zero_balance: true })).jetton_wallets
    expect(after).toHaveLength(before.length - 1)
    expect((await moving.rows('jetton/wallets')).jetton_wallets).toHaveLength(before.length)
  })

  test('reports a rejected transfer and a rejected burn as aborted', async () => {
    const { transactions } = await moving.send([
      { to: ownWallet, value: toNano('0.2'), body: transferBody(owner, otherAddress, 10n ** 30n) },
      { to: ownWallet, value: toNano('0.2'), body: burnBody(owner, 10n ** 30n, null) },
    ])
    const start_lt = transactions[0]?.lt ?? 0n
    const { jetton_transfers } = await moving.rows('jetton/transfers', { start_lt })
    const { jetton_burns } = await moving.rows('jetton/burns', { start_lt })
    for (const rows of [jetton_transfers, jetton_burns]) {
      expect(rows).toEqual([expect.objectContaining({ amount: `${10n ** 30n}`, transaction_aborted: true })])
    }
  })
})
