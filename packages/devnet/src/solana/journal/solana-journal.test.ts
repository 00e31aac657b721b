import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { scratchDirectory } from '../../../test/scratch.ts'
import { fundedSigner, hex, keyOf, sol, startChain } from '../../../test/solana.ts'
import type { EmbeddedSolanaChain } from '../chain/embedded-solana-chain.ts'
import { JournalUnreadable } from './solana-journal.ts'

vi.setConfig({ testTimeout: 60_000 })

/** The complete visible state of a chain. */
const contentOf = (chain: EmbeddedSolanaChain, keys: readonly Uint8Array[] = []) => ({
  example: chain.example,
  genesisHash: chain.genesisHash,
  underWay: chain.pendingSlot,
  slots: chain.slotsFrom(0n, 0),
  tips: ([0, 1, 2] as const).map((level) => chain.tip(level)),
  accounts: [...Object.values(chain.example).map(keyOf), ...keys].map((key) => chain.account(key)),
})

/** Starts a chain from the files that would be on disk if the process of another one ended now. */
async function startAfterCrash(directory: string, branching = false): Promise<EmbeddedSolanaChain> {
  const copy = await scratchDirectory()
  cpSync(directory, copy, { recursive: true })
  return startChain({ directory: copy, branching })
}

test('a restarted chain resumes in the middle of a slot', async () => {
  const directory = await scratchDirectory()
  const chain = await startChain({ directory })
  const payer = await fundedSigner(chain)
  for (let slot = 0; slot < 3; slot++) chain.makeSlot()
  const signature = await chain.airdrop(keyOf(payer.address), sol)
  const again = await startAfterCrash(directory)
  expect(contentOf(again, [keyOf(payer.address)])).toEqual(contentOf(chain, [keyOf(payer.address)]))
  expect(again.statusOf(signature)).toEqual(chain.statusOf(signature))
  expect(again.account(keyOf(payer.address))?.lamports).toBe(11n * sol)

  // From here on both chains produce the same slot.
  again.makeSlot()
  chain.makeSlot()
  expect(again.slotsFrom(chain.tip(0).slot, 0)).toEqual(chain.slotsFrom(chain.tip(0).slot, 0))
  await again.airdrop(keyOf(payer.address), sol)
  expect(again.account(keyOf(payer.address))?.lamports).toBe(12n * sol)

  await chain.stop()
  const third = await startChain({ directory })
  expect(third.tip(0)).toEqual(chain.tip(0))
  expect(readdirSync(directory)).toEqual(['chain.journal'])
})

test.each([
  ['dead', 0n],
  ['abandoned', 16n],
])('a crash within a slot that ends %s loses none of its transactions', async (_, rest) => {
  const directory = await scratchDirectory()
  const chain = await startChain({ directory, branching: true })
  while (chain.pendingSlot.slot % 32n !== rest) chain.makeSlot()
  const payer = await fundedSigner(chain)
  const key = keyOf(payer.address)
  const within = await startAfterCrash(directory, true)
  expect(contentOf(within, [key])).toEqual(contentOf(chain, [key]))
  for (const current of [chain, within]) {
    current.makeSlot()
    expect(current.pendingSlot.transactions).toHaveLength(1)
    expect(current.account(key)?.lamports).toBe(10n * sol)
  }
  const after = await startAfterCrash(directory, true)
  expect(contentOf(after, [key])).toEqual(contentOf(chain, [key]))
  await after.airdrop(key, sol)
  after.makeSlot()
  expect(after.account(key)?.lamports).toBe(11n * sol)
})

test('rewrites a long journal', async () => {
  const directory = await scratchDirectory()
  const chain = await startChain({ directory, maxJournalGrowth: 20_000, storedSlots: 10 })
  const file = join(directory, 'chain.journal')
  const payer = await fundedSigner(chain)
  const sizes: number[] = []
  for (let slot = 0; slot < 60; slot++) {
    await chain.airdrop(keyOf(payer.address), 1n)
    chain.makeSlot()
    sizes.push(statSync(file).size)
  }
  expect(sizes.filter((size, position) => size < (sizes[position - 1] ?? 0)).length).toBeGreaterThan(2)
  expect(Math.max(...sizes.slice(30))).toBeLessThan(Math.max(...sizes.slice(0, 30)) * 1.1)
  const again = await startAfterCrash(directory)
  expect(again.account(keyOf(payer.address))?.lamports).toBe(10n * sol + 60n)
  expect(again.tip(0)).toEqual(chain.tip(0))
})

test('truncates an incomplete last record', async () => {
  const directory = await scratchDirectory()
  const chain = await startChain({ directory })
  chain.makeSlot()
  const tip = chain.tip(0)
  const file = join(directory, 'chain.journal')
  const { size } = statSync(file)
  const payer = await fundedSigner(chain)
  truncateSync(file, size + 20)
  const again = await startAfterCrash(directory)
  expect(again.tip(0)).toEqual(tip)
  expect(again.account(keyOf(payer.address))).toBeUndefined()
})

test('reports a damaged journal with its file, without changing it', async () => {
  const directory = await scratchDirectory()
  const chain = await startChain({ directory })
  for (let slot = 0; slot < 3; slot++) chain.makeSlot()
  await chain.stop()
  const file = join(directory, 'chain.journal')
  const whole = readFileSync(file)
  for (const position of [0, 5_000, whole.length - 500]) {
    const damaged = Buffer.from(whole)
    damaged[position] = (damaged[position] ?? 0) ^ 0xff
    writeFileSync(file, damaged)
    const starting = startChain({ directory })
    await expect(starting).rejects.toBeInstanceOf(JournalUnreadable)
    await expect(starting).rejects.toThrow(file)
    expect(readFileSync(file).equals(damaged)).toBe(true)
  }
})

interface Reported {
  /** Blockhashes by slots. */
  readonly made: Map<string, string>
  /** Account writes of transactions, by their signatures. */
  readonly sent: Map<string, string>
}

/** Runs `solana-process.ts` until it ends or has reported the given number of lines; returns its error output. */
async function runChain(
  directory: string,
  reported: Reported,
  lines: number,
  limit = 'unlimited',
): Promise<string> {
  const script = new URL('../../../test/solana-process.ts', import.meta.url).pathname
  const command = [process.execPath, '--conditions=@fairlead/source', script, directory]
  const child = spawn('sh', ['-c', `ulimit -f ${limit}; exec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const errorOutput = text(child.stderr)
  const exited = once(child, 'exit')
  let rest = lines
  for await (const line of createInterface({ input: child.stdout })) {
    const [kind, key, value]: ['made' | 'sent', string, string] = JSON.parse(line)
    reported[kind].set(key, value)
    if (--rest === 0) child.kill('SIGKILL')
  }
  await exited
  return errorOutput
}

/** Asserts that a chain contains all reported changes, and that its accounts match its slots. */
function expectAll(chain: EmbeddedSolanaChain, { made, sent }: Reported): void {
  const slots = chain.slotsFrom(0n, 0)
  const blockhashes = new Map(slots.map(({ slot, meta }) => [String(slot), meta.blockhash]))
  for (const [slot, blockhash] of made) {
    const isLost = Number(slot) % 16 === 0
    expect(blockhashes.get(slot), slot).toBe(isLost ? undefined : blockhash)
  }
  const writes = [...slots, chain.pendingSlot].flatMap(({ accounts }) => accounts)
  for (const [signature, reported] of sent) {
    const transactionWrites = writes.filter(
      ({ txnSignature }) => txnSignature && hex(txnSignature) === signature,
    )
    expect(
      transactionWrites.map(({ pubkey, lamports }) => `${hex(pubkey)} ${lamports}`).join(),
      signature,
    ).toBe(reported)
  }
  for (const { pubkey, lamports } of new Map(writes.map((write) => [hex(write.pubkey), write])).values()) {
    expect(chain.account(pubkey)?.lamports ?? 0n, hex(pubkey)).toBe(lamports)
  }
}

test('reported data survives kill -9', async () => {
  const directory = await scratchDirectory()
  const reported: Reported = { made: new Map(), sent: new Map() }
  for (const lines of [150, 187]) await runChain(directory, reported, lines)
  expect(reported.made.size).toBeGreaterThan(30)
  expect(reported.sent.size).toBeGreaterThan(150)
  expectAll(await startChain({ directory, branching: true }), reported)
})

test('a full disk stops the chain, and all reported data is stored', async () => {
  const directory = await scratchDirectory()
  const reported: Reported = { made: new Map(), sent: new Map() }
  await (await startChain({ directory })).stop()
  const { size } = statSync(join(directory, 'chain.journal'))
  // The limit is in blocks of 512 bytes, or of 1024 in some shells; either way a record is written partially.
  const errorOutput = await runChain(directory, reported, 10_000, `${Math.ceil(size / 512) + 100}`)
  expect(errorOutput).toContain('EFBIG')
  expect(reported.sent.size).toBeGreaterThan(0)
  expect(readdirSync(directory)).toEqual(['chain.journal'])
  expectAll(await startChain({ directory, branching: true }), reported)
})
