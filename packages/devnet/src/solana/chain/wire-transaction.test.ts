import { Message } from '@fairlead/grpc/geyser'
import {
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Blockhash,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { expect, test } from 'vitest'
import { encoded, keyOf } from '../../../test/solana.ts'
import { TransactionRefused } from './transaction-refused.ts'
import { readTransaction } from './wire-transaction.ts'

const blockhash = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY' as Blockhash
async function transferOf(version: 'legacy' | 0) {
  const payer = await generateKeyPairSigner()
  const { address: destination } = await generateKeyPairSigner()
  const message = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, paid),
    (limited) =>
      appendTransactionMessageInstructions(
        [getTransferSolInstruction({ source: payer, destination, amount: 7n })],
        limited,
      ),
  )
  return { payer, destination, bytes: encoded(await signTransactionMessageWithSigners(message)) }
}

test.each(['legacy', 0] as const)('decodes all fields of a transaction of version %s', async (version) => {
  const { payer, destination, bytes } = await transferOf(version)
  const { signature, recentBlockhash, content } = readTransaction(bytes)
  expect(signature).toEqual(bytes.subarray(1, 65))
  expect(recentBlockhash).toBe(blockhash)
  expect(content).toEqual({
    signatures: [signature],
    message: Message.fromPartial({
      header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
      accountKeys: [keyOf(payer.address), keyOf(destination), new Uint8Array(32)],
      recentBlockhash: keyOf(blockhash),
      instructions: [
        {
          programIdIndex: 2,
          accounts: Uint8Array.of(0, 1),
          data: Uint8Array.of(2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0),
        },
      ],
      versioned: version === 0,
    }),
  })
})

test('so is one of version 1, with its compute budget', async () => {
  const payer = await generateKeyPairSigner()
  const instructions = [getTransferSolInstruction({ source: payer, destination: payer.address, amount: 7n })]
  const config = { priorityFeeLamports: 1n << 40n, computeUnitLimit: 1_000, heapSize: 65_536 }
  const message = pipe(
    createTransactionMessage({ version: 1 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, paid),
    (limited) => appendTransactionMessageInstructions(instructions, limited),
    (filled) => setTransactionMessageConfig(config, filled),
  )
  const bytes = encoded(await signTransactionMessageWithSigners(message))
  const { content, recentBlockhash } = readTransaction(bytes)
  expect(recentBlockhash).toBe(blockhash)
  expect(content.message).toMatchObject({
    versioned: true,
    accountKeys: [keyOf(payer.address), new Uint8Array(32)],
    instructions: [{ programIdIndex: 1, accounts: Uint8Array.of(0, 0) }],
    config: {
      priorityFee: 1n << 40n,
      computeUnitLimit: 1_000,
      loadedAccountsDataSizeLimit: undefined,
      heapSize: 65_536,
    },
  })
  // One of the two fee bits alone, and an unknown bit.
  for (const bit of [0b10, 0b10_0000]) {
    const edited = Uint8Array.from(bytes)
    edited[4] = (edited[4] ?? 0) ^ bit
    expect(() => readTransaction(edited)).toThrow(TransactionRefused)
  }
})

test('rejects anything but exactly one transaction before execution', async () => {
  const { bytes } = await transferOf(0)
  const edited = (edit: (bytes: number[]) => void) => {
    const copy = Array.from(bytes)
    edit(copy)
    return Uint8Array.from(copy)
  }
  const malformed: Record<string, Uint8Array> = {
    empty: new Uint8Array(),
    short: bytes.subarray(0, -1),
    'a byte behind': Buffer.concat([bytes, Uint8Array.of(0)]),
    'no signature': edited((copy) => copy.splice(0, 65, 0)),
    'two signatures of one': edited((copy) => copy.splice(0, 1, 2, ...new Uint8Array(64).fill(1))),
    'a length in a form that is too long': edited((copy) => copy.splice(0, 1, 0x81, 0)),
    'an unknown version': edited((copy) => copy.splice(65, 1, 0x85)),
    'more than a packet': Buffer.concat([bytes.subarray(0, -1), Uint8Array.of(0x80, 9), Buffer.alloc(1_152)]),
  }
  for (const [name, content] of Object.entries(malformed)) {
    expect(() => readTransaction(content), name).toThrow(TransactionRefused)
  }
  expect(readTransaction(bytes).bytes).toBe(bytes)
})
