import { readFileSync } from 'node:fs'
import { Address, beginCell, Cell, loadShardAccount, toNano, TupleReader, type StateInit } from '@ton/core'
import { beforeAll, expect, test } from 'vitest'
import { compileSampleJetton } from '../../../contracts/compile-sample-jetton.ts'
import { jettonWalletCode } from '../generated/sample-jetton.ts'
import { ChainWallet, defaultValue, outcomeOf, transactionOf } from '../../../test/jetton.ts'
import { AccountState, missingAccount, writeAccountState } from '../chain/account-state.ts'
import { createJettonChain } from '../chain/create-jetton-chain.ts'
import type { JettonChain } from '../chain/jetton-chain.ts'
import { MessageExecutor, writeMessage, type Execution } from '../chain/message-executor.ts'
import { WalletV4 } from '../chain/wallet-v4.ts'
import { jettonOperations, operationOf } from './jetton-messages.ts'
import { burnBody, mintBody, minterInit, transferBody, walletOf } from './sample-jetton.ts'

let chain: JettonChain
let owner: ChainWallet
let other: ChainWallet
let master: Address
let jettonWallet: Address

beforeAll(async () => {
  chain = await createJettonChain({ secondsPerBlock: 0 })
  owner = await ChainWallet.ofExample(chain)
  other = await ChainWallet.create(chain, 'another owner')
  master = Address.parse(chain.example.jetton_master)
  jettonWallet = Address.parse(chain.example.jetton_wallet)
})

async function balanceOf(wallet: Address): Promise<bigint> {
  const { stack } = await chain.runGetMethod(wallet, 'get_wallet_data', [])
  return new TupleReader([...stack]).readBigNumber()
}

async function masterData(): Promise<{ supply: bigint; admin: string }> {
  const { stack } = await chain.runGetMethod(master, 'get_jetton_data', [])
  const reader = new TupleReader([...stack])
  const supply = reader.readBigNumber()
  expect(reader.readBoolean()).toBe(true)
  return { supply, admin: reader.readAddress().toString() }
}

/** Sends a body and returns how the contract processed it. */
async function attempt(sender: ChainWallet, to: Address, body: Cell, value = defaultValue) {
  const trace = await sender.send(to, body, value)
  return { ...outcomeOf(transactionOf(trace, to)), trace }
}

test('the committed code matches the compiler output', async () => {
  const committed = readFileSync(new URL('../generated/sample-jetton.ts', import.meta.url), 'utf8')
  expect(committed).toBe(await compileSampleJetton())
})

test('a transfer sends jettons, notifies the receiver and returns the remaining coins', async () => {
  const before = await balanceOf(jettonWallet)
  const receiving = walletOf(master, other.address)
  const trace = await owner.send(
    jettonWallet,
    transferBody(owner.address, other.address, 700n, toNano('0.01')),
  )
  expect(await balanceOf(jettonWallet)).toBe(before - 700n)
  expect(await balanceOf(receiving)).toBe(700n)
  // The gas amount of the fee calculation is an upper bound.
  expect(outcomeOf(transactionOf(trace, jettonWallet)).gasUsed).toBeLessThan(9_000)
  expect(outcomeOf(transactionOf(trace, receiving)).gasUsed).toBeLessThan(9_000)

  const notification = transactionOf(trace, other.address).parse().inMessage
  expect(operationOf(notification?.body ?? Cell.EMPTY)).toBe(jettonOperations.transferNotification)
  const excesses = transactionOf(trace, owner.address, 1).parse().inMessage
  expect(operationOf(excesses?.body ?? Cell.EMPTY)).toBe(jettonOperations.excesses)
  if (excesses?.info.type !== 'internal') throw new Error('the excesses come from outside')
  expect(excesses.info.value.coins).toBeGreaterThan(toNano('0.15'))
})

test('a burn reduces the supply', async () => {
  const before = await masterData()
  const trace = await owner.send(jettonWallet, burnBody(owner.address, 50n, null))
  expect((await masterData()).supply).toBe(before.supply - 50n)
  expect(outcomeOf(transactionOf(trace, jettonWallet)).gasUsed).toBeLessThan(6_000)
  expect(outcomeOf(transactionOf(trace, master)).gasUsed).toBeLessThan(6_000)

  // Some senders end the message after the amount.
  const short = beginCell().storeUint(jettonOperations.burn, 32).storeUint(7, 64).storeCoins(1n).endCell()
  await owner.send(jettonWallet, short)
  expect((await masterData()).supply).toBe(before.supply - 51n)
  expect(chain.index.burns.at(-1)).toMatchObject({
    queryId: 7n,
    amount: 1n,
    responseDestination: undefined,
    customPayload: undefined,
  })
})

test('rejects operations without permission, without any change', async () => {
  const before = { balance: await balanceOf(jettonWallet), ...(await masterData()) }
  const transfer = (amount: bigint, to = other.address) => transferBody(owner.address, to, amount)
  const rejections: [string, Promise<{ exitCode: number }>, number][] = []
  const expectRejection = async (title: string, exitCode: number, ...args: Parameters<typeof attempt>) => {
    rejections.push([title, attempt(...args), exitCode])
    await rejections.at(-1)?.[1]
  }
  await expectRejection('a transfer of another wallet', 73, other, jettonWallet, transfer(1n))
  await expectRejection(
    'a burn of another wallet',
    73,
    other,
    jettonWallet,
    burnBody(other.address, 1n, null),
  )
  await expectRejection('a transfer of too much', 47, owner, jettonWallet, transfer(before.balance + 1n))
  await expectRejection(
    'a burn of too much',
    47,
    owner,
    jettonWallet,
    burnBody(owner.address, before.balance + 1n, null),
  )
  await expectRejection('a transfer for too few coins', 48, owner, jettonWallet, transfer(1n), toNano('0.01'))
  await expectRejection(
    'a burn for too few coins',
    48,
    owner,
    jettonWallet,
    burnBody(owner.address, 1n, null),
    toNano('0.005'),
  )
  await expectRejection(
    'a transfer to the masterchain',
    333,
    owner,
    jettonWallet,
    transfer(1n, new Address(-1, Buffer.alloc(32))),
  )
  const noPayload = beginCell()
    .storeUint(jettonOperations.transfer, 32)
    .storeUint(0, 64)
    .storeCoins(1n)
    .storeAddress(other.address)
    .storeAddress(null)
    .storeBit(false)
    .storeCoins(0)
    .endCell()
  await expectRejection('a transfer without its last bit', 49, owner, jettonWallet, noPayload)
  await expectRejection(
    'an unknown operation',
    0xffff,
    owner,
    jettonWallet,
    beginCell().storeUint(1, 32).endCell(),
  )
  await expectRejection(
    'an unknown operation of the master',
    0xffff,
    owner,
    master,
    beginCell().storeUint(1, 32).endCell(),
  )
  await expectRejection(
    'a mint of another wallet',
    73,
    other,
    master,
    mintBody(other.address, 1n, toNano('0.1')),
  )
  const forged = beginCell()
    .storeUint(jettonOperations.burnNotification, 32)
    .storeUint(0, 64)
    .storeCoins(1n)
    .storeAddress(owner.address)
    .storeAddress(null)
    .endCell()
  await expectRejection('a notification of no wallet', 74, other, master, forged)
  const oversized = beginCell()
    .storeUint(jettonOperations.internalTransfer, 32)
    .storeUint(0, 64)
    .storeCoins(1n)
    .storeAddress(other.address)
    .storeAddress(null)
    .storeCoins(0)
    .storeBit(false)
    .endCell()
  await expectRejection('jettons of no wallet', 74, other, jettonWallet, oversized)

  for (const [title, outcome, exitCode] of rejections) expect((await outcome).exitCode, title).toBe(exitCode)
  expect({ balance: await balanceOf(jettonWallet), ...(await masterData()) }).toEqual(before)
})

test('the admin mints, and transfers the admin role in two steps', async () => {
  const { supply } = await masterData()
  const receiver = new Address(0, Buffer.alloc(32, 3))
  await owner.send(master, mintBody(receiver, 30n, toNano('0.1')), toNano('0.3'))
  expect((await masterData()).supply).toBe(supply + 30n)

  const changeTo = (admin: Address) =>
    beginCell().storeUint(0x6501f354, 32).storeUint(0, 64).storeAddress(admin).endCell()
  const change = changeTo(other.address)
  const claim = beginCell().storeUint(0xfb88e119, 32).storeUint(0, 64).endCell()
  expect((await attempt(other, master, change)).exitCode).toBe(73)
  await owner.send(master, change)
  expect((await masterData()).admin).toBe(owner.address.toString())
  expect((await attempt(owner, master, claim)).exitCode).toBe(73)
  await other.send(master, claim)
  expect((await masterData()).admin).toBe(other.address.toString())

  await other.send(master, changeTo(owner.address))
  await owner.send(master, claim)
  expect((await masterData()).admin).toBe(owner.address.toString())
})

test('the master sends the wallet address of an owner by message (TEP-89)', async () => {
  const requestBody = (ownerAddress: Address) =>
    beginCell().storeUint(0x2c76b973, 32).storeUint(5, 64).storeAddress(ownerAddress).storeBit(true).endCell()
  const requestWalletAddress = async (ownerAddress: Address) => {
    const { trace, gasUsed } = await attempt(owner, master, requestBody(ownerAddress))
    expect(gasUsed).toBeLessThan(6_000)
    const slice = transactionOf(trace, owner.address, 1).parse().inMessage?.body.beginParse()
    if (slice === undefined) throw new Error('there is no response')
    expect([slice.loadUint(32), slice.loadUint(64)]).toEqual([0xd1735400, 5])
    return {
      wallet: slice.loadMaybeAddress()?.toString(),
      owner: slice.loadMaybeRef()?.beginParse().loadAddress().toString(),
    }
  }
  const response = await requestWalletAddress(other.address)
  expect(response).toEqual({
    wallet: walletOf(master, other.address).toString(),
    owner: other.address.toString(),
  })
  expect((await requestWalletAddress(new Address(-1, Buffer.alloc(32)))).wallet).toBeUndefined()
  expect((await attempt(owner, master, requestBody(other.address), toNano('0.002'))).exitCode).toBe(75)
})

test('a bounced message restores the balances', async () => {
  const executor = await MessageExecutor.create()
  const wallet = new WalletV4(Buffer.from('owner of what comes back'.padEnd(32)))
  const now = Math.floor(Date.now() / 1_000)
  // No sequence of messages leads here: a wallet whose master is missing, and receivers that fail.
  const failing = beginCell().storeUint(0xf23f, 16).endCell()
  const receiver = new Address(0, Buffer.alloc(32, 7))
  const absent = new Address(0, Buffer.alloc(32, 9))
  const orphan = walletOf(absent, wallet.address)
  const orphanData = beginCell().storeCoins(100).storeAddress(wallet.address).storeAddress(absent).endCell()
  const init = minterInit(wallet.address, {})
  const minterData = beginCell()
    .storeCoins(100)
    .storeAddress(wallet.address)
    .storeAddress(null)
    .storeRef(failing)
    .storeRef(Cell.EMPTY)
    .endCell()
  const minter = new Address(0, Buffer.alloc(32, 8))
  const states = new Map([
    [wallet.address.toRawString(), stateOf(wallet.address, wallet.init, now)],
    [
      orphan.toRawString(),
      stateOf(orphan, { code: Cell.fromBase64(jettonWalletCode), data: orphanData }, now),
    ],
    [
      walletOf(absent, receiver).toRawString(),
      stateOf(walletOf(absent, receiver), { code: failing, data: Cell.EMPTY }, now),
    ],
    [minter.toRawString(), stateOf(minter, { code: init.code ?? Cell.EMPTY, data: minterData }, now)],
  ])
  const execute = (to: Address, body: Cell) =>
    executor.execute(writeMessage(wallet.transfer(0, now + 60, [{ to, value: defaultValue * 2n, body }])), {
      now,
      lt: 1_000_001n,
      randomSeed: Buffer.alloc(32),
      stateOf: (account) => states.get(account) ?? missingAccount,
    })

  for (const [account, body] of [
    [orphan, burnBody(wallet.address, 60n, null)],
    [orphan, transferBody(wallet.address, receiver, 60n)],
    [minter, mintBody(wallet.address, 60n, toNano('0.1'))],
  ] as const) {
    const executions = await execute(account, body)
    const accountExecutions = executions.filter((execution) => execution.account === account.toRawString())
    expect(accountExecutions).toHaveLength(2)
    expect(accountExecutions.map(coinsInData)).toEqual([account === minter ? 160n : 40n, 100n])
  }
})

function stateOf(addr: Address, init: StateInit, now: number): AccountState {
  return new AccountState(
    writeAccountState({
      account: {
        addr,
        storage: {
          lastTransLt: 0n,
          balance: { coins: toNano(10) },
          state: { type: 'active', state: init },
        },
        storageStats: { used: { cells: 0n, bits: 0n }, storageExtra: null, lastPaid: now, duePayment: null },
      },
      lastTransactionHash: 0n,
      lastTransactionLt: 0n,
    }),
  )
}

/** The amount at the beginning of the data of either contract. */
function coinsInData({ after }: Execution): bigint {
  const { account } = loadShardAccount(Cell.fromBase64(after.boc).beginParse())
  const state = account?.storage.state
  if (state?.type !== 'active') throw new Error('the contract is not active')
  return state.state.data?.beginParse().loadCoins() ?? 0n
}
