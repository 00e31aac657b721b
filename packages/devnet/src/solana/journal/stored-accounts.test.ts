import { cpSync } from 'node:fs'
import { AccountRole, address, generateKeyPairSigner } from '@solana/kit'
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/scratch.ts'
import {
  fundedSigner,
  keyOf,
  lastTransaction,
  record,
  signed,
  sol,
  startChain,
} from '../../../test/solana.ts'
import type { EmbeddedSolanaChain } from '../chain/embedded-solana-chain.ts'

async function startAgain(directory: string): Promise<EmbeddedSolanaChain> {
  const copy = await scratchDirectory()
  cpSync(directory, copy, { recursive: true })
  return startChain({ directory: copy, branching: true })
}

test('accounts of the maximum size survive a losing branch, a new journal and a restart', async () => {
  const directory = await scratchDirectory()
  const chain = await startChain({ directory, branching: true, maxJournalGrowth: 1_000_000 })
  const payer = await fundedSigner(chain, 1_000n * sol)
  while (chain.pendingSlot.slot % 16n !== 0n) chain.makeSlot()
  const newAccount = await generateKeyPairSigner()
  const key = keyOf(newAccount.address)
  const space = 10n * 1024n * 1024n
  const lamports = chain.minimumBalance(space)
  const programAddress = address('11111111111111111111111111111111')
  const create = getCreateAccountInstruction({ payer, newAccount, space, lamports, programAddress })
  await chain.send(await signed(chain, payer, [create]))
  for (let slot = 0; slot < 3; slot++) {
    chain.makeSlot()
    const again = await startAgain(directory)
    for (const current of [chain, again]) {
      expect(current.account(key)?.data.length).toBe(Number(space))
      expect(current.account(key)?.lamports).toBe(lamports)
    }
  }
})

test('a program may receive lamports, which are reported and stored', async () => {
  const directory = await scratchDirectory()
  const chain = await startChain({ directory })
  const events = record(chain)
  const token = keyOf('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
  const before = chain.account(token)?.lamports ?? 0n
  await chain.airdrop(token, sol)
  expect(lastTransaction(events).accounts.at(-1)).toMatchObject({ pubkey: token, lamports: before + sol })
  const again = await startAgain(directory)
  expect(again.account(token)).toEqual(chain.account(token))
})

test('accounts that are not written are not reported as written, also after a restart', async () => {
  const directory = await scratchDirectory()
  const chain = await startChain({ directory })
  const payer = await fundedSigner(chain)
  const events = record(chain)
  const claimed = [
    'SysvarC1ock11111111111111111111111111111111',
    'SysvarFees111111111111111111111111111111111',
    'SysvarEpochRewards1111111111111111111111111',
    'Sysvar1nstructions1111111111111111111111111',
    'Vote111111111111111111111111111111111111111',
  ].map((account) => ({ address: address(account), role: AccountRole.WRITABLE }))
  const transfer = getTransferSolInstruction({ source: payer, destination: payer.address, amount: 1n })
  const accounts = [...transfer.accounts, ...claimed]
  await chain.send(await signed(chain, payer, [{ ...transfer, accounts }]))
  expect(lastTransaction(events).accounts.map(({ pubkey }) => pubkey)).toEqual([keyOf(payer.address)])
  const again = await startAgain(directory)
  expect(again.pendingSlot).toEqual(chain.pendingSlot)
})
