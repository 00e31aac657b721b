import {
  Address,
  beginCell,
  Cell,
  contractAddress,
  external,
  internal,
  storeMessage,
  storeMessageRelaxed,
  toNano,
  TupleReader,
} from '@ton/core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ChainWallet, defaultValue, outcomeOf, transactionOf } from '../../../test/jetton.ts'
import { jettonWalletCode } from '../generated/sample-jetton.ts'
import { jettonOperations } from '../jettons/jetton-messages.ts'
import {
  burnBody,
  commentPayload,
  mintBody,
  minterInit,
  transferBody,
  walletOf,
} from '../jettons/sample-jetton.ts'
import { createJettonChain } from './create-jetton-chain.ts'
import { MessageRefused, type JettonChain } from './jetton-chain.ts'
import { WalletV4 } from './wallet-v4.ts'

let chain: JettonChain
let wallet: ChainWallet
let master: Address
let jettonWallet: Address
beforeAll(async () => {
  chain = await createJettonChain({ secondsPerBlock: 0 })
  wallet = await ChainWallet.ofExample(chain)
  master = Address.parse(chain.example.jetton_master)
  jettonWallet = Address.parse(chain.example.jetton_wallet)
})
afterAll(() => chain.stop())

/** The state that a rejected or emulated message must not change. */
function standing() {
  const { head, transactions } = chain
  const accounts = [...chain.accounts()].length
  return { root: head.rootHash.toString('hex'), transactions: transactions.length, accounts }
}

test('a new chain has its sample data', async () => {
  const freshChain = await createJettonChain({ secondsPerBlock: 0 })
  onTestFinished(() => freshChain.stop())
  const { index, example } = freshChain
  const { wallet: owner } = await ChainWallet.ofExample(freshChain)
  expect(index.masters.get(Address.parse(example.jetton_master).toRawString())).toMatchObject({
    totalSupply: toNano(1_000_000 - 60),
    mintable: true,
    admin: owner.address.toRawString(),
    content: { name: 'Sample Jetton', symbol: 'SAMPLE', decimals: '9' },
  })
  expect([...index.wallets.keys()]).toHaveLength(3)
  expect(index.mints).toMatchObject([{ receiver: owner.address.toRawString(), amount: toNano(1_000_000) }])
  expect(index.transfers.map(({ amount }) => amount)).toEqual([toNano(1_000), toNano(1_000)])
  expect(index.burns.map(({ amount }) => amount)).toEqual([toNano(10), toNano(20), toNano(30)])
  expect(index.burns.map(({ customPayload }) => customPayload?.depth())).toEqual([undefined, 2, 0])
  expect(freshChain.transaction(Buffer.from(example.burn_hash, 'base64'))).toBe(index.burns[2]?.transaction)
  expect(owner.address.toString()).toBe(example.wallet)
  expect(freshChain.globalId).toBe(-239)
})

test('a message produces one block of each chain, and is found by both of its hashes', async () => {
  const { seqno, endLt } = chain.head
  const shards = chain.blocks(0).length
  const message = wallet.sign({
    to: jettonWallet,
    value: defaultValue,
    body: burnBody(wallet.address, 1n, null),
  })
  // With an import fee the message has another hash, but its normalized hash is the same (TEP-467).
  const cell = beginCell()
    .store(storeMessage({ ...message, info: { ...message.info, importFee: 5n } as typeof message.info }))
    .endCell()
  const sent = await chain.send(cell)
  expect(sent.hash).toEqual(cell.hash())
  expect(sent.hashNorm).not.toEqual(sent.hash)
  const [first] = sent.trace.transactions
  expect(chain.transactionByMessage(sent.hash)).toBe(first)
  expect(chain.transactionByMessage(sent.hashNorm)).toBe(first)
  expect(chain.trace(sent.trace.id)).toBe(sent.trace)
  expect(first?.parse().inMessage?.info.type).toBe('external-in')

  expect(chain.head.seqno).toBe(seqno + 1)
  expect(chain.blocks(0)).toHaveLength(shards + 1)
  const block = chain.blocks(0).at(-1)
  expect(block?.transactions).toEqual(sent.trace.transactions)
  expect(block).toMatchObject({ masterSeqno: seqno + 1, previous: [{ workchain: 0, seqno: shards }] })
  expect(block?.startLt).toBeGreaterThan(endLt)
  expect(block?.endLt).toBeGreaterThan(sent.trace.transactions.at(-1)?.lt ?? 0n)
})

test('transactions are linked', () => {
  const { transactions } = chain
  let end = 0n
  for (const transaction of transactions) {
    const { lt, inMessage, outMessages, stateUpdate, outMessagesCount } = transaction.parse()
    expect(transaction.lt).toBe(lt)
    expect(lt).toBeGreaterThan(end)
    end = lt + BigInt(outMessagesCount)
    expect([...outMessages.values()].map(({ info }) => 'createdLt' in info && info.createdLt)).toEqual(
      Array.from({ length: outMessagesCount }, (_, position) => lt + BigInt(position) + 1n),
    )
    expect(transaction.before.hash).toEqual(stateUpdate.oldHash)
    expect(transaction.after.hash).toEqual(stateUpdate.newHash)
    expect(inMessage?.info.type === 'external-in').toBe(transaction.parent === undefined)
    for (const child of transaction.children) expect(child.parent).toBe(transaction)
    const ofAccount = chain.transactionsOf(Address.parseRaw(transaction.account))
    expect(ofAccount).toContain(transaction)
  }
})

test('a message that no contract accepts does not change the chain', async () => {
  const before = standing()
  const expired = wallet.wallet.transfer(0, 1, [{ to: jettonWallet, value: 1n }])
  await expect(chain.send(expired)).rejects.toMatchObject({
    name: 'MessageRefused',
    exitCode: expect.any(Number),
  })
  const toMissingAccount = external({ to: new Address(0, Buffer.alloc(32, 3)), body: Cell.EMPTY })
  await expect(chain.send(toMissingAccount)).rejects.toThrow(MessageRefused)
  await expect(chain.send(Cell.EMPTY)).rejects.toThrow('the cell is no message')
  const inner = internal({ to: wallet.address, value: 1n, bounce: false })
  const fromInside = beginCell().store(storeMessageRelaxed(inner)).endCell()
  await expect(chain.send(fromInside)).rejects.toThrow(MessageRefused)
  expect(standing()).toEqual(before)
})

test('an emulation returns the outcome and does not change the chain', async () => {
  const before = standing()
  const { stack } = await chain.runGetMethod(wallet.address, 'seqno', [])
  const seqno = new TupleReader([...stack]).readNumber()
  const message = wallet.wallet.transfer(seqno, 2_000_000_000, [
    { to: jettonWallet, value: defaultValue, body: burnBody(wallet.address, 1n, null) },
  ])
  expect(await chain.emulate(message)).toHaveLength(4)
  const otherMessage = new WalletV4(Buffer.alloc(32, 5)).transfer(seqno, 2_000_000_000, [])
  const forged = { ...otherMessage, init: null, info: message.info }
  await expect(chain.emulate(forged)).rejects.toThrow(MessageRefused)
  expect(await chain.emulate(forged, { ignoreSignature: true })).toHaveLength(1)
  expect(standing()).toEqual(before)
})

test('the faucet sends coins, also for concurrent requests', async () => {
  const accounts = [1, 2, 3].map((number) => new Address(0, Buffer.alloc(32, 0x40 + number)))
  const traces = await Promise.all(accounts.map((account) => chain.fund(account, toNano(5))))
  for (const [position, account] of accounts.entries()) {
    expect(await chain.summary(account)).toMatchObject({ status: 'uninit', balance: toNano(5) })
    expect((await chain.account(account)).account?.storage.balance.coins).toBe(toNano(5))
    expect(traces[position]?.transactions).toHaveLength(2)
  }
  const missing = new Address(0, Buffer.alloc(32, 0x50))
  expect(await chain.summary(missing)).toMatchObject({ status: 'nonexist', balance: 0n })
  expect((await chain.account(missing)).account).toBeUndefined()
})

test('get methods return exit codes', async () => {
  expect((await chain.runGetMethod(jettonWallet, 'no_such_method', [])).exitCode).toBe(11)
  expect((await chain.runGetMethod(new Address(0, Buffer.alloc(32)), 'seqno', [])).exitCode).toBe(-256)
  const { exitCode, gasUsed } = await chain.runGetMethod(wallet.address, 85143, [])
  expect([exitCode, gasUsed > 0n]).toEqual([0, true])
})

test('the index contains only real jettons', async () => {
  const { index } = chain
  const before = { burns: index.burns.length, wallets: index.wallets.size, mints: index.mints.length }
  // A contract with the code of a jetton wallet that names the master, but the master does not confirm it.
  const data = beginCell().storeCoins(500).storeAddress(wallet.address).storeAddress(master).endCell()
  const init = { code: Cell.fromBase64(jettonWalletCode), data }
  const forged = contractAddress(0, init)
  const trace = await wallet.send(forged, burnBody(wallet.address, 100n, null), defaultValue, { init })
  expect(outcomeOf(transactionOf(trace, forged)).exitCode).toBe(0)
  expect(outcomeOf(transactionOf(trace, master)).exitCode).toBe(74)
  // A notification from an account that is not a wallet.
  const notification = beginCell()
    .storeUint(jettonOperations.burnNotification, 32)
    .storeUint(0, 64)
    .storeCoins(1)
    .storeAddress(wallet.address)
    .storeAddress(null)
    .endCell()
  await wallet.send(master, notification)
  expect({ burns: index.burns.length, wallets: index.wallets.size, mints: index.mints.length }).toEqual(
    before,
  )
})

test('the index contains rejected transfers and burns as aborted', async () => {
  const { index } = chain
  const supply = index.masters.get(master.toRawString())?.totalSupply
  const excessiveAmount = toNano(10_000_000)
  const burned = await wallet.send(
    jettonWallet,
    burnBody(wallet.address, excessiveAmount, commentPayload('all of it')),
  )
  const rejectedTransfer = await wallet.send(
    jettonWallet,
    transferBody(wallet.address, master, excessiveAmount),
  )
  const otherWallet = await ChainWallet.create(chain, 'another wallet')
  const rejectedBurn = await otherWallet.send(jettonWallet, burnBody(otherWallet.address, 1n, null))
  const attempt = { aborted: true, amount: excessiveAmount, master: master.toRawString() }
  expect(index.burns.slice(-2)).toMatchObject([
    { ...attempt, owner: wallet.address.toRawString(), transaction: transactionOf(burned, jettonWallet) },
    {
      aborted: true,
      owner: otherWallet.address.toRawString(),
      transaction: transactionOf(rejectedBurn, jettonWallet),
    },
  ])
  expect(index.transfers.at(-1)).toMatchObject({
    ...attempt,
    source: wallet.address.toRawString(),
    transaction: transactionOf(rejectedTransfer, jettonWallet),
  })
  expect(index.burns.slice(0, 3).map(({ aborted }) => aborted)).toEqual([false, false, false])
  expect(index.masters.get(master.toRawString())?.totalSupply).toBe(supply)
})

test('the index includes a jetton that another account deploys', async () => {
  const init = minterInit(wallet.address, { name: 'Other', symbol: 'OTH' })
  const address = contractAddress(0, init)
  const receiver = new WalletV4(Buffer.alloc(32, 6)).address
  await wallet.send(address, Cell.EMPTY, defaultValue, { init })
  expect(chain.index.masters.get(address.toRawString())).toMatchObject({
    content: { name: 'Other' },
    totalSupply: 0n,
  })
  await wallet.send(address, mintBody(wallet.address, 90n, toNano('0.1')), toNano('0.3'))
  const expectedWallet = walletOf(address, wallet.address)
  await wallet.send(expectedWallet, transferBody(wallet.address, receiver, 40n))
  const { index } = chain
  expect(index.masters.get(address.toRawString())?.totalSupply).toBe(90n)
  expect(index.mints.at(-1)).toMatchObject({ master: address.toRawString(), amount: 90n })
  expect(index.transfers.at(-1)).toMatchObject({
    source: wallet.address.toRawString(),
    destination: receiver.toRawString(),
    sourceWallet: expectedWallet.toRawString(),
    amount: 40n,
    forwardAmount: 0n,
    forwardPayload: undefined,
  })
  expect(index.wallets.get(expectedWallet.toRawString())?.balance).toBe(50n)
  expect(index.wallets.get(walletOf(address, receiver).toRawString())).toMatchObject({
    balance: 40n,
    owner: receiver.toRawString(),
    lastLt: chain.transactionsOf(walletOf(address, receiver)).at(-1)?.lt,
  })
})

test('cells that are nested too deep for the engine fail only their own message or call', async () => {
  const deep = (depth: number): Cell =>
    Array.from({ length: depth }).reduce<Cell>(
      (cell) => beginCell().storeRef(cell).endCell(),
      beginCell().endCell(),
    )
  const nestingWallet = await ChainWallet.create(chain, 'digger')
  const before = standing()
  const message = nestingWallet.sign({ to: wallet.address, value: 1n, body: deep(400) })
  await expect(chain.send(message)).rejects.toThrow(MessageRefused)
  const stack = [{ type: 'cell' as const, cell: deep(400) }]
  await expect(chain.runGetMethod(master, 'get_jetton_data', stack)).rejects.toThrow('the engine')
  expect(standing()).toEqual(before)

  expect(await chain.runGetMethod(master, 'get_jetton_data', [])).toMatchObject({ exitCode: 0 })
  await wallet.send(wallet.address, Cell.EMPTY, 1n)
  expect(standing().transactions).toBeGreaterThan(before.transactions)
})
