import type { TransactionStatusMeta } from '@fairlead/grpc/geyser'
import {
  address,
  AccountRole,
  generateKeyPairSigner,
  getProgramDerivedAddress,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getCloseAccountInstruction,
  getCreateAssociatedTokenInstructionAsync,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { expect, test } from 'vitest'
import {
  fundedSigner,
  hex,
  keyOf,
  lastTransaction,
  record,
  signed,
  sol,
  startChain,
} from '../../../test/solana.ts'

const metaOf = (event: { transaction: { meta: TransactionStatusMeta | undefined } }) => {
  if (event.transaction.meta === undefined) throw new Error('the transaction has no meta')
  return event.transaction.meta
}
const transfer = (source: KeyPairSigner, destination: string, amount: bigint) =>
  getTransferSolInstruction({ source, destination: address(destination), amount })

test('reports a transfer with its balances, fee and writes', async () => {
  const chain = await startChain()
  const payer = await fundedSigner(chain)
  const to = await generateKeyPairSigner()
  const events = record(chain)
  for (const version of ['legacy', 0] as const) {
    const signature = await chain.send(
      await signed(chain, payer, [transfer(payer, to.address, sol)], { version }),
    )
    const transaction = lastTransaction(events)
    expect(transaction.transaction.signature).toEqual(signature)
    expect(transaction.transaction.transaction?.message).toMatchObject({
      versioned: version === 0,
      header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
      accountKeys: [keyOf(payer.address), keyOf(to.address), new Uint8Array(32)],
      instructions: [{ programIdIndex: 2, accounts: Uint8Array.of(0, 1) }],
      recentBlockhash: keyOf(chain.tip(0).blockhash),
    })
    expect(transaction.accounts.map(({ pubkey }) => hex(pubkey))).toEqual(
      [payer, to].map((signer) => hex(keyOf(signer.address))),
    )
    expect(transaction.accounts.every(({ txnSignature }) => hex(txnSignature) === hex(signature))).toBe(true)
  }
  const [first, second] = events.flatMap((event) => (event.kind === 'transaction' ? [event] : []))
  if (first === undefined || second === undefined) throw new Error('two transactions were sent')
  const fee = 5_000n
  expect(metaOf(first)).toMatchObject({
    err: undefined,
    fee,
    preBalances: [10n * sol, 0n, 1n],
    postBalances: [9n * sol - fee, sol, 1n],
    computeUnitsConsumed: 150n,
    logMessages: [
      'Program 11111111111111111111111111111111 invoke [1]',
      'Program 11111111111111111111111111111111 success',
    ],
    logMessagesNone: false,
    innerInstructions: [],
    innerInstructionsNone: false,
    returnData: undefined,
    returnDataNone: true,
  })
  expect(metaOf(second).preBalances).toEqual(metaOf(first).postBalances)
  expect(chain.account(keyOf(to.address))).toMatchObject({ lamports: 2n * sol, data: new Uint8Array() })
  const versions = [...first.accounts, ...second.accounts].map(({ writeVersion }) => writeVersion)
  expect(versions).toEqual(versions.toSorted((a, b) => Number(a - b)))
  expect(new Set(versions).size).toBe(4)
})

test('reports inner instructions, return data, and token balances before and after', async () => {
  const chain = await startChain()
  const owner = await fundedSigner(chain)
  const events = record(chain)
  const mint = address(chain.example.mint)
  const create = await getCreateAssociatedTokenInstructionAsync({ payer: owner, owner: owner.address, mint })
  await chain.send(await signed(chain, owner, [transfer(owner, owner.address, 1n), create]))
  const meta = metaOf(lastTransaction(events))
  expect(meta.innerInstructions).toHaveLength(1)
  const [calls] = meta.innerInstructions
  expect(calls?.index).toBe(1)
  expect(calls?.instructions.length).toBeGreaterThan(1)
  expect(new Set(calls?.instructions.map(({ stackHeight }) => stackHeight))).toEqual(new Set([2]))
  expect(meta.preTokenBalances).toEqual([])
  const { accountKeys = [] } = lastTransaction(events).transaction.transaction?.message ?? {}
  const [account] = await findAssociatedTokenPda({
    owner: owner.address,
    mint,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  })
  expect(meta.postTokenBalances).toEqual([
    {
      accountIndex: accountKeys.findIndex((key) => hex(key) === hex(keyOf(account))),
      mint,
      owner: owner.address,
      programId: TOKEN_PROGRAM_ADDRESS,
      uiTokenAmount: { amount: '0', decimals: 6, uiAmount: 0, uiAmountString: '0' },
    },
  ])

  await chain.send(
    await signed(chain, owner, [getCloseAccountInstruction({ account, destination: owner.address, owner })]),
  )
  const closing = lastTransaction(events)
  expect(closing.accounts.find(({ pubkey }) => hex(pubkey) === hex(keyOf(account)))).toMatchObject({
    lamports: 0n,
    owner: new Uint8Array(32),
    data: new Uint8Array(),
  })
  expect(metaOf(closing)).toMatchObject({
    preTokenBalances: [{ owner: owner.address }],
    postTokenBalances: [],
  })
  expect(chain.account(keyOf(account))).toBeUndefined()
})

test('a failed transaction only pays its fee and is reported with its error', async () => {
  const chain = await startChain()
  const payer = await fundedSigner(chain)
  const events = record(chain)
  const to = await generateKeyPairSigner()
  const instructions = [transfer(payer, to.address, sol), transfer(payer, to.address, 100n * sol)]
  const bytes = await signed(chain, payer, instructions)
  const signature = await chain.send(bytes, { skipPreflight: true })
  const transaction = lastTransaction(events)
  expect(hex(metaOf(transaction).err?.err)).toBe('08000000011900000001000000')
  expect(metaOf(transaction)).toMatchObject({
    fee: 5_000n,
    postBalances: [10n * sol - 5_000n, 0n, 1n],
    logMessagesNone: false,
  })
  expect(transaction.accounts).toMatchObject([{ pubkey: keyOf(payer.address), lamports: 10n * sol - 5_000n }])
  expect(hex(chain.statusOf(signature)?.err)).toBe('08000000011900000001000000')
})

test('reports the accounts of a lookup table, and their writes', async () => {
  const chain = await startChain()
  const payer = await fundedSigner(chain)
  const events = record(chain)
  const to = await generateKeyPairSigner()
  const recentSlot = chain.tip(0).slot
  const table = await createTable(recentSlot, payer, [to.address])
  await chain.send(await signed(chain, payer, table.instructions))
  chain.makeSlot()
  const bytes = await signed(chain, payer, [transfer(payer, to.address, sol)], {
    tables: { [table.address]: [to.address] },
  })
  await chain.send(bytes)
  const transaction = lastTransaction(events)
  expect(transaction.transaction.transaction?.message).toMatchObject({
    accountKeys: [keyOf(payer.address), new Uint8Array(32)],
    addressTableLookups: [
      {
        accountKey: keyOf(table.address),
        writableIndexes: Uint8Array.of(0),
        readonlyIndexes: new Uint8Array(),
      },
    ],
  })
  expect(metaOf(transaction)).toMatchObject({
    loadedWritableAddresses: [keyOf(to.address)],
    loadedReadonlyAddresses: [],
    postBalances: [expect.any(BigInt), 1n, sol],
  })
  expect(transaction.accounts.map(({ pubkey }) => hex(pubkey))).toContain(hex(keyOf(to.address)))
})

async function createTable(recentSlot: bigint, payer: KeyPairSigner, listed: readonly string[]) {
  const programAddress = address('AddressLookupTab1e1111111111111111111111111')
  const slot = u64(recentSlot)
  const [table, bump] = await getProgramDerivedAddress({
    programAddress,
    seeds: [keyOf(payer.address), slot],
  })
  const accounts = [
    { address: table, role: AccountRole.WRITABLE },
    { address: payer.address, role: AccountRole.READONLY_SIGNER },
    { address: payer.address, role: AccountRole.WRITABLE_SIGNER },
    { address: address('11111111111111111111111111111111'), role: AccountRole.READONLY },
  ]
  const count = u64(BigInt(listed.length))
  const instructions: Instruction[] = [
    { programAddress, accounts, data: Buffer.concat([Buffer.alloc(4), slot, Uint8Array.of(bump)]) },
    {
      programAddress,
      accounts,
      data: Buffer.concat([Uint8Array.of(2, 0, 0, 0), count, ...listed.map(keyOf)]),
    },
  ]
  return { address: table, instructions }
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
