import { setImmediate } from 'node:timers/promises'
import { Address, beginCell, Cell, contractAddress, external } from '@ton/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ChainWallet, defaultValue } from '../../../test/jetton.ts'
import { burnBody } from '../jettons/sample-jetton.ts'
import { createJettonChain, type JettonChainOptions } from './create-jetton-chain.ts'
import { writeMessage } from './message-executor.ts'

async function start(options: JettonChainOptions = {}) {
  const chain = await createJettonChain({ secondsPerBlock: 0, ...options })
  onTestFinished(() => chain.stop())
  const wallet = await ChainWallet.ofExample(chain)
  const burn = () =>
    wallet.send(Address.parse(chain.example.jetton_wallet), burnBody(wallet.address, 1n, null))
  return { chain, wallet, burn }
}

test('continues to produce masterchain blocks without messages', async () => {
  const idle = await createJettonChain({ secondsPerBlock: 0.05 })
  onTestFinished(() => idle.stop())
  const { seqno } = idle.head
  const shards = idle.blocks(0).length
  await vi.waitUntil(() => idle.head.seqno > seqno + 2, { timeout: 30_000 })
  expect(idle.head).toMatchObject({
    workchain: -1,
    transactions: [],
    previous: [{ workchain: -1, seqno: idle.head.seqno - 1 }],
  })
  expect(idle.blocks(0)).toHaveLength(shards)
})

test('all transactions of a block have one time, and time never decreases', async () => {
  const { chain, burn } = await start()
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const burning = burn()
  await setImmediate()
  const later = Date.now() + 30_000
  vi.setSystemTime(later)
  const { transactions } = await burning
  expect(transactions.map((transaction) => transaction.parse().now)).toEqual(
    transactions.map(({ now }) => now),
  )
  await burn()
  const { genUtime } = chain.head
  expect(genUtime).toBe(Math.floor(later / 1_000))
  vi.setSystemTime(later - 20_000)
  await burn()
  expect(chain.head.genUtime).toBe(genUtime)
})

test('a stopped chain rejects messages and completes those in progress', async () => {
  const { chain, burn } = await start()
  const { seqno } = chain.head
  const underWay = burn()
  await Promise.all([chain.stop(), chain.stop()])
  expect(chain.head.seqno).toBe(seqno + 1)
  expect((await underWay).transactions[0]?.masterSeqno).toBe(seqno + 1)
  await expect(burn()).rejects.toThrow('has been stopped')
  expect(chain.head.seqno).toBe(seqno + 1)
})

test('limits the stored history: removes the oldest traces first, and never the genesis', async () => {
  const { chain: small } = await start({ maxTransactions: 9, maxBlocks: 4 })
  expect(small.transactions).toHaveLength(8)
  expect(small.index.burns).toHaveLength(2)
  expect([small.index.transfers, small.index.mints]).toEqual([[], []])
  expect(small.genesis.seqno).toBe(1)
  expect(small.block({ workchain: -1, seqno: 1 })).toBe(small.genesis)
  expect(small.oldest.seqno).toBe(7)
  expect(small.block({ workchain: -1, seqno: 6 })).toBeUndefined()
  expect(small.transactionsOf(Address.parse(small.example.jetton_wallet))).toHaveLength(2)
  // The current state of the chain does not depend on its history.
  expect(small.index.wallets.size).toBe(3)
})

test('finds a repeated message as long as one of its transactions is stored', async () => {
  const { chain, wallet, burn } = await start({ maxTransactions: 8 })
  // Accepts every message (SETCP 0, ACCEPT).
  const init = { code: beginCell().storeUint(0xff00f800, 32).endCell(), data: Cell.EMPTY }
  const to = contractAddress(0, init)
  await wallet.send(to, Cell.EMPTY, defaultValue, { init })
  const message = writeMessage(external({ to }))
  const first = await chain.send(message)
  await burn()
  const second = await chain.send(message)
  expect(second.hash).toEqual(first.hash)
  await burn()
  expect(chain.trace(first.trace.id)).toBeUndefined()
  expect(chain.transactionByMessage(message.hash())).toBe(second.trace.transactions[0])
})
