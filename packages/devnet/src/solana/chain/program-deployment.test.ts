import { cpSync } from 'node:fs'
import { generateKeyPairSigner, type Instruction, type KeyPairSigner } from '@solana/kit'
import { expect, test } from 'vitest'
import { close, deploy, loader, upgrade, upload } from '../../../test/solana-program.ts'
import { scratchDirectory } from '../../../test/scratch.ts'
import {
  fundedSigner,
  hex,
  keyOf,
  lastTransaction,
  record,
  signed,
  startChain,
} from '../../../test/solana.ts'
import type { EmbeddedSolanaChain } from './embedded-solana-chain.ts'

const memo = keyOf('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

async function sendAll(chain: EmbeddedSolanaChain, payer: KeyPairSigner, steps: readonly Instruction[][]) {
  for (const instructions of steps) await chain.send(await signed(chain, payer, instructions))
}

/** Starts a chain with a deployed program that logs the length of a memo. */
async function startWithProgram(branching = false) {
  const directory = await scratchDirectory()
  const chain = await startChain({ directory, branching })
  const rentOf = (bytes: bigint) => chain.minimumBalance(bytes)
  const payer = await fundedSigner(chain)
  const [program, buffer] = [await generateKeyPairSigner(), await generateKeyPairSigner()]
  const code = chain.account(memo)?.data ?? new Uint8Array()
  await sendAll(chain, payer, upload(code, payer, buffer, rentOf))
  await chain.send(await signed(chain, payer, await deploy(code.length, payer, program, buffer, rentOf)))
  return { chain, directory, payer, code, rentOf, program: program.address }
}

/** Starts a chain from the files that would be on disk if the process of another one ended now. */
async function startAgain(directory: string): Promise<EmbeddedSolanaChain> {
  const copy = await scratchDirectory()
  cpSync(directory, copy, { recursive: true })
  return startChain({ directory: copy })
}

/** Asserts the result of a call of the program, on a chain and on the same chain after a restart. */
async function expectCall(
  { chain, directory, payer, program }: Awaited<ReturnType<typeof startWithProgram>>,
  expected: object,
): Promise<void> {
  const bytes = await signed(chain, payer, [{ programAddress: program, data: Buffer.from('deployed') }])
  expect(chain.simulate(bytes)).toMatchObject(expected)
  expect((await startAgain(directory)).simulate(bytes)).toEqual(chain.simulate(bytes))
}

/** Replaces the code of the program by code that logs the same in upper case. */
async function upgradeProgram({
  chain,
  payer,
  code,
  rentOf,
  program,
}: Awaited<ReturnType<typeof startWithProgram>>): Promise<void> {
  const upgraded = Buffer.from(code)
  upgraded.write('MEMO', upgraded.indexOf('Memo'))
  const buffer = await generateKeyPairSigner()
  await sendAll(chain, payer, upload(upgraded, payer, buffer, rentOf))
  await chain.send(await signed(chain, payer, [await upgrade(program, payer, buffer.address)]))
}

const logsOf = (text: string) => ({ err: undefined, logs: expect.arrayContaining([`Program log: ${text}`]) })

test('a program that was deployed runs, also after a restart', async () => {
  const started = await startWithProgram()
  const { chain, program } = started
  const deployed = chain.pendingSlot.accounts.find(({ pubkey }) => hex(pubkey) === hex(keyOf(program)))
  expect(deployed).toMatchObject({ executable: true, owner: keyOf(loader) })
  chain.makeSlot()
  await expectCall(started, logsOf('Memo (len 8)'))
})

test('a program that was upgraded runs its new code, also after a restart', async () => {
  const started = await startWithProgram()
  const { chain, program } = started
  chain.makeSlot()
  const events = record(chain)
  await upgradeProgram(started)
  const keys = lastTransaction(events).accounts.map(({ pubkey }) => hex(pubkey))
  expect(keys).toContain(hex(keyOf(program)))
  chain.makeSlot()
  await expectCall(started, logsOf('MEMO (len 8)'))
})

test('a program that was closed does not run, also after a restart', async () => {
  const started = await startWithProgram()
  const { chain, payer, program } = started
  chain.makeSlot()
  await chain.send(await signed(chain, payer, [await close(program, payer)]))
  chain.makeSlot()
  await expectCall(started, { logs: expect.arrayContaining(['Program is not deployed']) })
})

test.each([
  ['dies', 0n],
  ['is left by all', 16n],
])('a program that is upgraded in a slot that %s is upgraded in the next one', async (_, rest) => {
  const started = await startWithProgram(true)
  const { chain } = started
  while (chain.pendingSlot.slot % 32n !== rest) chain.makeSlot()
  await upgradeProgram(started)
  const discarded = chain.pendingSlot.transactions.length
  chain.makeSlot()
  // The next slot begins with the same transactions.
  expect(chain.pendingSlot.transactions).toHaveLength(discarded)
  chain.makeSlot()
  await expectCall(started, logsOf('MEMO (len 8)'))
})
