import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { appendFile, copyFile, open, readFile, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { Address } from '@ton/core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ChainWallet } from '../../../test/jetton.ts'
import { scratchDirectory } from '../../../test/scratch.ts'
import { createJettonChain, type JettonChainOptions } from '../chain/create-jetton-chain.ts'
import type { ChainTransaction, JettonChain } from '../chain/jetton-chain.ts'
import { burnBody, commentPayload } from '../jettons/sample-jetton.ts'

const fileName = 'chain.journal'

async function openChain(directory: string, options: JettonChainOptions = {}): Promise<JettonChain> {
  const chain = await createJettonChain({ directory, secondsPerBlock: 0, ...options })
  onTestFinished(() => chain.stop())
  return chain
}

async function burn(chain: JettonChain, wallet: ChainWallet, amount: bigint): Promise<void> {
  const to = Address.parse(chain.example.jetton_wallet)
  await wallet.send(to, burnBody(wallet.address, amount, commentPayload('journal')))
}

/** Returns all data of a chain that the journal has to store. */
async function contentOf(chain: JettonChain) {
  const nameOf = (transaction: ChainTransaction | undefined) => transaction?.hash.toString('hex')
  const { index } = chain
  const rows = [...index.transfers, ...index.burns, ...index.mints].map(({ transaction, ...row }) => ({
    ...row,
    transaction: nameOf(transaction),
    customPayload: 'customPayload' in row ? row.customPayload?.hash().toString('hex') : undefined,
  }))
  const accounts = await Promise.all(
    [...chain.accounts()]
      .toSorted()
      .map(async (account) => [account, await chain.summary(Address.parse(account))]),
  )
  return {
    head: chain.head.rootHash.toString('hex'),
    oldest: chain.oldest.seqno,
    genesis: chain.genesis.rootHash.toString('hex'),
    example: chain.example,
    blocks: [-1, 0].map((workchain) =>
      chain
        .blocks(workchain)
        .map(({ transactions, ...block }) => ({ ...block, items: transactions.map(nameOf) })),
    ),
    transactions: chain.transactions.map((transaction) => ({
      hash: nameOf(transaction),
      parsed: transaction.parse().hash().toString('hex'),
      lt: transaction.lt,
      before: transaction.before,
      after: transaction.after,
      parent: nameOf(transaction.parent),
      children: transaction.children.map(nameOf),
      trace: transaction.trace.externalHashNorm.toString('hex'),
      found: chain.transaction(transaction.hash) === transaction,
    })),
    rows,
    masters: [...index.masters.values()],
    wallets: [...index.wallets.values()],
    accounts,
  }
}

// One journal that the tests copy: three messages after the sample data.
let directory = ''
let written: Awaited<ReturnType<typeof contentOf>>
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'fairlead-jetton-'))
  const chain = await createJettonChain({ directory, secondsPerBlock: 0 })
  const wallet = await ChainWallet.ofExample(chain)
  for (const amount of [1n, 2n, 3n]) await burn(chain, wallet, amount)
  written = await contentOf(chain)
  await chain.stop()
})
afterAll(() => rmSync(directory, { recursive: true }))

async function copyOfJournal(): Promise<{ directory: string; file: string }> {
  const copy = await scratchDirectory()
  const file = join(copy, fileName)
  await copyFile(join(directory, fileName), file)
  return { directory: copy, file }
}

test('a restarted chain resumes from its last block', async () => {
  const copy = await copyOfJournal()
  const chain = await openChain(copy.directory)
  expect(await contentOf(chain)).toEqual(written)
  const { seqno, endLt } = chain.head
  await burn(chain, await ChainWallet.ofExample(chain), 4n)
  expect(chain.head.seqno).toBe(seqno + 1)
  expect(chain.head.startLt).toBeGreaterThan(endLt)
})

test('data from a journal does not retain the buffer that it was read into', async () => {
  const { directory: copy } = await copyOfJournal()
  const chain = await openChain(copy)
  const items = (buffer: Buffer) => buffer.buffer.byteLength
  for (const wallet of chain.index.wallets.values()) expect(items(wallet.codeHash)).toBeLessThan(4_096)
  for (const { transactions } of chain.blocks(0)) {
    const bytes = transactions.reduce((sum, { boc }) => sum + boc.length, 0)
    for (const { boc } of transactions) expect(items(boc)).toBeLessThan(bytes + transactions.length * 2_000)
  }
})

test('truncates an incomplete last record', async () => {
  const copy = await copyOfJournal()
  const { size } = await stat(copy.file)
  for (const torn of [size - 1, size - 700]) {
    await truncate(copy.file, torn)
    const chain = await openChain(copy.directory)
    expect(chain.index.burns).toHaveLength(5)
    await chain.stop()
  }
  // The file system may extend a file before its content is written.
  await appendFile(copy.file, Buffer.alloc(5_000))
  const chain = await openChain(copy.directory)
  await burn(chain, await ChainWallet.ofExample(chain), 9n)
  await chain.stop()
  const again = await openChain(copy.directory)
  expect(again.index.burns.map(({ amount }) => amount).slice(-3)).toEqual([1n, 2n, 9n])
})

test('rejects a damaged journal without changing it', async () => {
  const copy = await copyOfJournal()
  const { size } = await stat(copy.file)
  for (const position of [0, 5, 100, Math.floor(size / 2)]) {
    await copyFile(join(directory, fileName), copy.file)
    const handle = await open(copy.file, 'r+')
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, position)
    await handle.write(Buffer.of((buffer[0] ?? 0) ^ 0xff), 0, 1, position)
    await handle.close()
    const damaged = await readFile(copy.file)
    await expect(createJettonChain({ directory: copy.directory }), `byte ${position}`).rejects.toMatchObject({
      name: 'JournalUnreadable',
      message: expect.stringContaining(copy.file),
    })
    expect(damaged.equals(await readFile(copy.file))).toBe(true)
  }
})

test('rewrites a long journal without data that is no longer stored', async () => {
  const copy = await copyOfJournal()
  const options = { maxTransactions: 12, maxBlocks: 10, maxJournalGrowth: 20_000 }
  const chain = await openChain(copy.directory, options)
  const wallet = await ChainWallet.ofExample(chain)
  let largest = 0
  for (let amount = 10n; amount < 30n; amount++) {
    await burn(chain, wallet, amount)
    largest = Math.max(largest, (await stat(copy.file)).size)
  }
  expect(largest).toBeLessThan(100_000)
  const expected = await contentOf(chain)
  expect(expected.transactions).toHaveLength(12)
  await chain.stop()
  expect(await contentOf(await openChain(copy.directory, options))).toEqual(expected)
})

/**
 * Runs `jetton-burner.ts` until it ends or has reported the wanted number of messages; it may report the last ones
 * while it ends.
 */
async function runBurner(journal: string, count: number, limit = 'unlimited') {
  const script = new URL('../../../test/jetton-burner.ts', import.meta.url).pathname
  const command = [process.execPath, '--conditions=@fairlead/source', script, journal]
  const child = spawn('sh', ['-c', `ulimit -f ${limit}; exec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const errorOutput = text(child.stderr)
  const exited = once(child, 'exit')
  const resolved: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    // A line that the kill truncated counts as not reported.
    if (line.length === 64) resolved.push(line)
    if (resolved.length === count) child.kill('SIGKILL')
  }
  await exited
  return { resolved, errorOutput: await errorOutput }
}

function missingIn(chain: JettonChain, resolved: readonly string[]): string[] {
  return resolved.filter((hash) => chain.transactionByMessage(Buffer.from(hash, 'hex')) === undefined)
}

test('a full disk stops the chain, and all resolved messages are stored', async () => {
  const copy = await copyOfJournal()
  const { size } = await stat(copy.file)
  // The limit is in blocks of 512 bytes, or of 1024 in some shells; either way a record is written partially.
  const { resolved, errorOutput } = await runBurner(copy.directory, 1_000, `${Math.ceil(size / 512) + 50}`)
  expect(errorOutput).toContain('EFBIG')
  expect(resolved.length).toBeGreaterThan(0)
  expect(readdirSync(copy.directory)).toEqual([fileName])
  const chain = await openChain(copy.directory)
  expect(missingIn(chain, resolved)).toEqual([])
})

test('all resolved messages survive two kills', async () => {
  const journal = await scratchDirectory()
  const resolved: string[] = []
  for (const count of [10, 15]) resolved.push(...(await runBurner(journal, count)).resolved)
  expect(resolved.length).toBeGreaterThanOrEqual(25)
  const chain = await openChain(journal)
  expect(missingIn(chain, resolved)).toEqual([])
  expect(chain.index.burns.length).toBe(chain.blocks(0).length - 5)
  const seqnos = chain.blocks(-1).map(({ seqno }) => seqno)
  expect(seqnos).toEqual(seqnos.map((_, position) => position + 1))
})
