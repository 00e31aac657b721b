import { Address, beginCell, Cell, contractAddress, storeMessage, toNano, type Message } from '@ton/core'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { useV2Server, type Json } from '../../../../test/jetton-v2.ts'
import { WalletV4, type WalletTransfer } from '../../chain/wallet-v4.ts'

const server = useV2Server()
// DROP: removes the number of the method from the stack, and returns the rest as the result.
const echoInit = { code: beginCell().storeUint(0x30, 8).endCell(), data: beginCell().endCell() }
const echo = contractAddress(0, echoInit)
const echoAddress = echo.toString()
const comment = beginCell().storeUint(0, 32).storeStringTail('Ahoy, Кэп').endCell()
const boc = (cell: Cell): string => cell.toBoc().toString('base64')
const write = (message: Message): Cell => beginCell().store(storeMessage(message)).endCell()

let wallet = ''
let sent: { readonly boc: string; readonly message: Message }

beforeAll(async () => {
  wallet = server.chain.example.wallet
  sent = await sign({ to: echo, value: toNano(1), bounce: false, init: echoInit, body: comment })
  expect(await server.result('sendBoc', { boc: sent.boc })).toEqual({ '@type': 'ok' })
})

async function sign(transfer: WalletTransfer) {
  const owner = new WalletV4(Buffer.from(server.chain.example.wallet_seed, 'hex'))
  const { seqno } = await server.result('getWalletInformation', { address: wallet })
  const message = owner.transfer(seqno, Math.floor(Date.now() / 1000) + 60, [transfer])
  return { boc: boc(write(message)), message }
}

test('a message that was sent is on the chain, with its comment', async () => {
  const last = await sign({ to: echo, value: toNano(1), bounce: false, init: echoInit, body: comment })
  expect(await server.result('sendBoc', { boc: last.boc })).toEqual({ '@type': 'ok' })
  const [received] = await server.result('getTransactions', { address: echoAddress, limit: 1 })
  const text = Buffer.from('Ahoy, Кэп').toString('base64')
  expect(received.in_msg).toMatchObject({
    source: wallet,
    destination: echoAddress,
    value: `${toNano(1)}`,
    body_hash: comment.hash().toString('base64'),
    message: 'Ahoy, Кэп',
    msg_data: { '@type': 'msg.dataText', text },
  })
  const [senderTransaction] = await server.result('getTransactions', { address: wallet, limit: 1 })
  expect(senderTransaction.in_msg.hash).toBe(Cell.fromBase64(last.boc).hash().toString('base64'))
  const { bits } = last.message.body
  expect(senderTransaction.in_msg.message).toBe(`${bits.subbuffer(0, bits.length)?.toString('base64')}\n`)
  const std = await server.result('getTransactionsStd', { address: echoAddress, limit: 1 })
  expect(std.transactions[0].in_msg).toMatchObject({
    '@type': 'raw.message',
    source: { '@type': 'accountAddress', account_address: wallet },
    msg_data: { '@type': 'msg.dataText', text },
  })
})

test('distinguishes an encrypted comment from a plain one', async () => {
  const body = beginCell().storeUint(0x2167da4b, 32).storeBuffer(Buffer.from('secret')).endCell()
  await server.result('sendBoc', { boc: (await sign({ to: echo, value: toNano(1), body })).boc })
  const [received] = await server.result('getTransactions', { address: echoAddress, limit: 1 })
  expect(received.in_msg.msg_data).toEqual({ '@type': 'msg.dataEncryptedText', text: 'c2VjcmV0' })
})

test('sending returns the message hash and the normalized hash', async () => {
  const { boc: signed, message } = await sign({ to: echo, value: toNano('0.5') })
  const hash = Cell.fromBase64(signed).hash()
  // TEP-467: no source, no fee, no state, the body in a reference.
  const normalized = beginCell()
    .storeUint(0b10, 2)
    .storeUint(0, 2)
    .storeAddress(Address.parse(wallet))
    .storeCoins(0)
    .storeBit(false)
    .storeBit(true)
    .storeRef(message.body)
    .endCell()
  expect(await server.result('sendBocReturnHash', { boc: signed })).toEqual({
    '@type': 'raw.extMessageInfo',
    hash: hash.toString('base64'),
    hash_norm: normalized.hash().toString('base64'),
  })
  expect(server.chain.transactionByMessage(hash)?.account).toBe(Address.parse(wallet).toRawString())
})

test('a message that the contract rejects does not change the chain', async () => {
  const before = server.chain.head.seqno
  const refused = /^LITE_SERVER_UNKNOWN: cannot apply external message to current state : .*exitcode=33/s
  const again = { ok: false, code: 500, error: expect.stringMatching(refused) }
  expect(await server.post('sendBoc', { boc: sent.boc })).toMatchObject({ status: 500, body: again })
  expect(await server.rpc('sendBocReturnHash', { boc: sent.boc })).toMatchObject({ status: 500, body: again })
  expect(await server.post('sendBocReturnHashNoError', { boc: sent.boc })).toMatchObject({
    status: 400,
    body: { ok: false, code: 400, error: expect.stringMatching(refused) },
  })
  expect(server.chain.head.seqno).toBe(before)
})

const long = beginCell().storeBit(false).storeRef(comment)
for (let count = 0; count < 3; count += 1) long.storeRef(manyCells(count))
const tooLong = long.endCell()
const deep = Array.from({ length: 300 }).reduce<Cell>(
  (cell) => beginCell().storeRef(cell).endCell(),
  Cell.EMPTY,
)
const internalOut = beginCell().storeUint(0, 1).endCell()
const rejectedMessages: [title: string, boc: string, status: number, error: RegExp][] = [
  ['an empty text', '', 422, /empty boc$/],
  ['a text that is no bag of cells', 'AAAA', 422, /failed to parse boc$/],
  ['too many bytes', boc(tooLong), 500, /too large \(\d+ bytes\), rejecting$/],
  ['cells that are too deep', boc(deep), 500, /too deep$/],
  ['a cell that is no message from outside', boc(internalOut), 500, /must begin with ext_in_msg_info\$10$/],
]

// Each cell contains a different number, so that none of them is serialized only once for several references.
function manyCells(first: number): Cell {
  return Array.from({ length: 250 }, (_, number) => first * 1000 + number).reduce<Cell>(
    (next, number) => beginCell().storeUint(number, 1000).storeRef(next).endCell(),
    Cell.EMPTY,
  )
}

test.each(rejectedMessages)('%s is not sent', async (_title, input, status, error) => {
  const response = await server.post('sendBoc', { boc: input })
  expect(response).toMatchObject({ status, body: { ok: false, error: expect.stringMatching(error) } })
})

test('the fees of a message are those of its transactions', async () => {
  // One second between the two would cost another nanocoin of storage fee.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const transfer = { to: echo, value: toNano(1), body: comment }
  const { boc: signed, message } = await sign(transfer)
  const before = server.chain.head.seqno
  const fees = await server.result('estimateFee', {
    address: wallet,
    body: boc(message.body),
    init_code: '',
    init_data: '',
    ignore_chksig: false,
  })
  expect(server.chain.head.seqno).toBe(before)
  expect(fees['@type']).toBe('query.fees')
  await server.result('sendBoc', { boc: signed })
  const [senderTransaction] = await server.result('getTransactions', { address: wallet, limit: 1 })
  const source = fees.source_fees
  // The forwarding fee is counted once: the rest of it stays with the message.
  expect(source.in_fwd_fee + source.gas_fee + source.storage_fee + source.fwd_fee).toBe(
    Number(senderTransaction.fee),
  )
  for (const name of ['in_fwd_fee', 'gas_fee', 'fwd_fee']) expect(source[name], name).toBeGreaterThan(0)
  const [received] = await server.result('getTransactions', { address: echoAddress, limit: 1 })
  expect(fees.destination_fees).toHaveLength(1)
  const [destination] = fees.destination_fees
  expect(destination.gas_fee + destination.storage_fee).toBe(Number(received.fee))
  expect(destination).toMatchObject({ in_fwd_fee: 0, fwd_fee: 0 })
})

test('estimates fees of a message with a wrong signature only when signatures are ignored', async () => {
  const { message } = await sign({ to: echo, value: toNano(1) })
  const body = message.body.beginParse()
  const forged = boc(beginCell().storeBuffer(Buffer.alloc(64)).storeSlice(body.skip(512)).endCell())
  expect((await server.post('estimateFee', { address: wallet, body: forged })).status).toBe(200)
  expect(
    await server.post('estimateFee', { address: wallet, body: forged, ignore_chksig: false }),
  ).toMatchObject({
    status: 500,
    body: { error: expect.stringMatching(/exitcode=35/) },
  })
})

test('the fees of the first message include its state init', async () => {
  const fresh = new WalletV4(Buffer.alloc(32, 7))
  await server.chain.fund(fresh.address, toNano(10))
  const message = fresh.transfer(0, Math.floor(Date.now() / 1000) + 60, [{ to: echo, value: toNano(1) }])
  const estimate = { address: fresh.address.toString(), body: boc(message.body) }
  const { code, data } = fresh.init
  if (!code || !data) throw new Error('a wallet has code and data')
  const { source_fees } = await server.result('estimateFee', {
    ...estimate,
    init_code: boc(code),
    init_data: boc(data),
  })
  expect(source_fees.gas_fee).toBeGreaterThan(0)
  expect((await server.post('estimateFee', estimate)).status).toBe(500)
})

test('get methods accept and return the legacy stack', async () => {
  const cell = boc(comment)
  const number = { '@type': 'tvm.stackEntryNumber', number: { '@type': 'tvm.numberDecimal', number: '7' } }
  const stack = [
    ['num', 5],
    ['int', '-255'],
    ['number', '0xff'],
    ['tvm.Cell', cell],
    ['slice', { bytes: cell }],
    ['tuple', { '@type': 'tvm.tuple', elements: [number, number, number] }],
    ['tvm.List', { '@type': 'tvm.list', elements: [number, number] }],
    ['list', { elements: [] }],
  ]
  const result = await server.result('runGetMethod', { address: echoAddress, method: 'anything', stack })
  const [last] = await server.result('getTransactions', { address: echoAddress, limit: 1 })
  expect(result).toMatchObject({
    '@type': 'smc.runResult',
    exit_code: 0,
    gas_used: expect.any(Number),
    block_id: { seqno: server.chain.head.seqno },
    last_transaction_id: last.transaction_id,
  })
  const encoded = ['cell', { bytes: expect.any(String), object: writtenTree(comment) }]
  expect(result.stack).toEqual([
    ['num', '0x5'],
    ['num', '-0xff'],
    ['num', '0xff'],
    encoded,
    encoded,
    ['tuple', { '@type': 'tvm.tuple', elements: [number, number, number] }],
    ['list', { '@type': 'tvm.list', elements: [number, number] }],
    ['list', { '@type': 'tvm.list', elements: [] }],
  ])
  expect(Cell.fromBase64(result.stack[3][1].bytes).hash()).toEqual(comment.hash())
})

function writtenTree(cell: Cell): Json {
  const bytes = cell.bits.subbuffer(0, cell.bits.length)
  return { data: { b64: bytes?.toString('base64'), len: cell.bits.length }, refs: [], special: false }
}

test('get methods accept and return the typed stack', async () => {
  const number = (value: bigint) => ({
    '@type': 'tvm.stackEntryNumber',
    number: { '@type': 'tvm.numberDecimal', number: `${value}` },
  })
  const cell = comment.toBoc({ idx: false, crc32: true }).toString('base64')
  const stack = [
    number(0n),
    number(2n ** 256n - 1n),
    number(-(2n ** 256n)),
    { '@type': 'tvm.stackEntryCell', cell: { '@type': 'tvm.cell', bytes: cell } },
    { '@type': 'tvm.stackEntrySlice', slice: { '@type': 'tvm.slice', bytes: cell } },
    { '@type': 'tvm.stackEntryTuple', tuple: { '@type': 'tvm.tuple', elements: [number(1n)] } },
    { '@type': 'tvm.stackEntryList', list: { '@type': 'tvm.list', elements: [number(1n)] } },
  ]
  const call = { address: echoAddress, method: 77, stack }
  const result = await server.result('runGetMethodStd', call)
  expect((await server.rpc('runGetMethodStd', call)).body.result).toEqual(result)
  expect(result).toEqual({ '@type': 'smc.runResult', gas_used: expect.any(Number), stack, exit_code: 0 })
})

test('get methods of the sample jetton conform to TEP-74', async () => {
  const { jetton_master, jetton_wallet } = server.chain.example
  const owner = boc(beginCell().storeAddress(Address.parse(wallet)).endCell())
  const { stack, exit_code } = await server.result('runGetMethod', {
    address: jetton_master,
    method: 'get_wallet_address',
    stack: [['tvm.Slice', owner]],
  })
  expect(exit_code).toBe(0)
  const found = Cell.fromBase64(stack[0][1].bytes).beginParse().loadAddress()
  expect(found.toString()).toBe(jetton_wallet)
  const unsupported = await server.result('runGetMethod', {
    address: jetton_master,
    method: 'lacking',
    stack: [],
  })
  expect(unsupported.exit_code).toBe(11)
  const missing = await server.result('runGetMethodStd', {
    address: `0:${'ab'.repeat(32)}`,
    method: 'seqno',
    stack: [],
  })
  expect(missing).toMatchObject({ exit_code: -13, gas_used: 0, stack: [] })
})

test('a wallet that its master does not confirm is not a jetton wallet', async () => {
  const known = await server.result('getAddressInformation', { address: server.chain.example.jetton_wallet })
  // The data of a used wallet results in another address than its initial data.
  const init = { code: Cell.fromBase64(known.code), data: Cell.fromBase64(known.data) }
  const forged = contractAddress(0, init)
  // A top-up: coins that a wallet accepts without an action.
  const body = beginCell().storeUint(0xd372158c, 32).endCell()
  await server.result('sendBoc', { boc: (await sign({ to: forged, value: toNano(1), init, body })).boc })
  const address = forged.toString()
  expect(await server.result('getAddressState', { address })).toBe('active')
  expect(await server.post('getTokenData', { address })).toMatchObject({ status: 409 })
})

const nested = (levels: number): Json =>
  levels === 0
    ? { '@type': 'tvm.stackEntryNumber', number: { number: '1' } }
    : { '@type': 'tvm.stackEntryTuple', tuple: { elements: [nested(levels - 1)] } }

const malformed: [title: string, entry: unknown, status: number][] = [
  ['an entry that is no pair', ['num'], 422],
  ['a type that is no text', [1, 1], 422],
  ['a number that is none', ['num', 'one'], 422],
  ['a number that is too large', ['num', `0x${'f'.repeat(64)}0`], 422],
  ['a cell that is no text', ['tvm.Cell', 1], 422],
  ['a cell that is no bag of cells', ['cell', { bytes: 'AAAA' }], 400],
  ['a tuple without elements', ['tuple', {}], 422],
  ['an element of no type', ['tuple', { elements: [{}] }], 422],
  [
    'an element of an unsupported type',
    ['tuple', { elements: [{ '@type': 'tvm.stackEntryUnsupported' }] }],
    542,
  ],
  ['null', ['null', null], 542],
  ['a builder', ['tvm.Builder', boc(comment)], 542],
  ['tuples that are too deep', ['tuple', { elements: [nested(100)] }], 533],
]

test.each(malformed)('a stack with %s is refused', async (_title, entry, status) => {
  const response = await server.post('runGetMethod', { address: echoAddress, method: 'x', stack: [entry] })
  expect(response).toMatchObject({ status, body: { ok: false, code: status } })
})

test('accepts a long integer as a JSON number', async () => {
  const body = `{"address":"${echoAddress}","method":"x","stack":[["num",-1152921504606846977]]}`
  const response = await fetch(`${server.url}/runGetMethod`, { method: 'POST', body })
  expect(await response.json()).toMatchObject({
    ok: true,
    result: { stack: [['num', '-0x1000000000000001']] },
  })
})

test('returns a cell with an exponentially large tree as bytes only', async () => {
  const many = Array.from({ length: 60 }).reduce<Cell>(
    (cell) => beginCell().storeRef(cell).storeRef(cell).endCell(),
    comment,
  )
  const call = { address: echoAddress, method: 'x', stack: [['tvm.Cell', boc(many)]] }
  const { stack } = await server.result('runGetMethod', call)
  expect(Object.keys(stack[0][1])).toEqual(['bytes'])
  expect(Cell.fromBase64(stack[0][1].bytes).hash()).toEqual(many.hash())
})

const library = beginCell().storeUint(2, 8).storeBuffer(Buffer.alloc(32)).endCell({ exotic: true })
const many = (count: number): Json => ({ elements: Array.from({ length: count }, () => nested(0)) })
const unsupportedInputs: [title: string, method: string, input: Json, status: number][] = [
  ['a list', 'runGetMethod', { method: 'x', stack: [['list', many(300)]] }, 422],
  ['a stack', 'runGetMethodStd', { method: 'x', stack: many(400).elements }, 422],
  ['a cell of a stack', 'runGetMethod', { method: 'x', stack: [['tvm.Cell', boc(deep)]] }, 422],
  ['a slice of a library', 'runGetMethod', { method: 'x', stack: [['tvm.Slice', boc(library)]] }, 400],
  ['the number of a method', 'runGetMethod', { method: 2 ** 32, stack: [] }, 422],
  ['a body', 'estimateFee', { body: boc(deep) }, 500],
  ['the body of a library', 'estimateFee', { body: boc(library) }, 422],
  ['a body of too many bytes', 'estimateFee', { body: 'A'.repeat(100_000) }, 500],
]

test.each(unsupportedInputs)(
  '%s that the engine cannot process does not stop it',
  async (_title, method, input, status) => {
    const response = await server.post(method, { address: echoAddress, ...input })
    expect(response).toMatchObject({
      status,
      body: { ok: false, code: status, error: expect.stringMatching(/parse|should|too/) },
    })
    const { exit_code } = await server.result('runGetMethod', { address: wallet, method: 'seqno', stack: [] })
    expect(exit_code).toBe(0)
  },
)

test('returns a list with every type of stack entry unchanged', async () => {
  const entry = ['list', { '@type': 'tvm.list', ...many(254) }]
  const { stack } = await server.result('runGetMethod', { address: echoAddress, method: 'x', stack: [entry] })
  expect(stack[0][1].elements).toHaveLength(254)
})

test('returns tuples of the maximum depth unchanged', async () => {
  const entry = ['tuple', { '@type': 'tvm.tuple', elements: [nested(98)] }]
  const { stack } = await server.result('runGetMethod', { address: echoAddress, method: 'x', stack: [entry] })
  expect(JSON.stringify(stack).match(/tvm\.tuple/g)).toHaveLength(99)
})
