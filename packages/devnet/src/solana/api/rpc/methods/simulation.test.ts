import {
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  generateKeyPairSigner,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  type Blockhash,
  type Instruction,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getCreateAssociatedTokenInstructionAsync } from '@solana-program/token'
import { expect, it } from 'vitest'
import { rpc, serveSolana } from '../../../../../test/solana-api.ts'
import { fundedSigner, keyOf, lastTransaction, record, signed, sol } from '../../../../../test/solana.ts'

const base64 = (bytes: ArrayLike<number>) => Buffer.from(Uint8Array.from(bytes)).toString('base64')
const processed = { commitment: 'processed' }
const compute = (...data: number[]): Instruction => ({
  programAddress: address('ComputeBudget111111111111111111111111111111'),
  data: Uint8Array.from(data),
})
const memo = (text: string): Instruction => ({
  programAddress: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
  data: Buffer.from(text),
})
const price = compute(3, 0x41, 0x42, 0x0f, 0, 0, 0, 0, 0)

it('returns the fee that a transaction pays', async () => {
  const { chain, url } = await serveSolana()
  const payer = await fundedSigner(chain)
  const events = record(chain)
  const many = Array.from({ length: 9 }, (_, count) => memo(`memo ${count}`))
  const kinds = [
    [memo('plain')],
    [price, memo('with a price')],
    [price, compute(2, 0x10, 0x27, 1, 0), memo('with a limit')],
    [
      price,
      compute(1, 0, 0, 1, 0),
      getTransferSolInstruction({ source: payer, destination: payer.address, amount: 1n }),
    ],
    [price, ...many],
  ]
  const fees = new Set<bigint>()
  for (const instructions of kinds)
    for (const version of ['legacy', 0] as const) {
      const bytes = await signed(chain, payer, instructions, { version })
      const response = await rpc(url, 'getFeeForMessage', base64(bytes.subarray(65)), processed)
      await chain.send(bytes)
      const { meta } = lastTransaction(events).transaction
      expect(response).toMatchObject({ result: { value: Number(meta?.fee) } })
      fees.add(meta?.fee ?? 0n)
    }
  expect(fees.size).toBe(5)
})

it('returns the fee of a message of version 1, and null for an old blockhash', async () => {
  const { chain, url } = await serveSolana()
  const payer = await generateKeyPairSigner()
  const messageWith = (blockhash: string) =>
    compileTransaction(
      pipe(
        createTransactionMessage({ version: 1 }),
        (empty) => setTransactionMessageFeePayerSigner(payer, empty),
        (paid) =>
          setTransactionMessageLifetimeUsingBlockhash(
            { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n },
            paid,
          ),
        (limited) => appendTransactionMessageInstructions([memo('first')], limited),
        (message) => setTransactionMessageConfig({ priorityFeeLamports: 77n }, message),
      ),
    ).messageBytes
  const feeOf = (text: string) => rpc(url, 'getFeeForMessage', text, processed)
  const { blockhash } = chain.tip(0)
  expect(await feeOf(base64(messageWith(blockhash)))).toMatchObject({ result: { value: 5_077 } })
  expect(await feeOf(base64(messageWith(payer.address)))).toMatchObject({ result: { value: null } })
  for (const wrong of ['?', '', base64(messageWith(blockhash).slice(0, -1)), base64([255, 255])])
    expect(await feeOf(wrong)).toMatchObject({ error: { code: -32602 } })
})

it('returns the resulting accounts and inner instructions of a simulation', async () => {
  const { chain, url } = await serveSolana()
  const payer = await fundedSigner(chain)
  const to = await generateKeyPairSigner()
  const create = await getCreateAssociatedTokenInstructionAsync({
    payer,
    owner: payer.address,
    mint: address(chain.example.mint),
  })
  const transfer = (amount: bigint) =>
    getTransferSolInstruction({ source: payer, destination: to.address, amount })
  const addresses = [to.address, chain.example.mint, (await generateKeyPairSigner()).address]
  const simulate = async (instructions: readonly Instruction[], options: object) =>
    (
      (await rpc(url, 'simulateTransaction', base64(await signed(chain, payer, instructions)), {
        encoding: 'base64',
        ...options,
      })) as { result: { value: object } }
    ).result.value

  expect(
    await simulate([transfer(sol), create], { innerInstructions: true, accounts: { addresses } }),
  ).toMatchObject({
    err: null,
    accounts: [{ lamports: Number(sol), data: ['', 'base64'] }, { space: 82 }, null],
    innerInstructions: [
      {
        index: 1,
        instructions: expect.arrayContaining([
          {
            programIdIndex: expect.any(Number),
            accounts: expect.any(Array),
            data: expect.any(String),
            stackHeight: 2,
          },
        ]),
      },
    ],
  })
  expect(chain.account(keyOf(to.address))).toBeUndefined()
  const noResults = { accounts: null, innerInstructions: null }
  expect(await simulate([transfer(sol)], {})).toMatchObject({ err: null, ...noResults })
  expect(await simulate([transfer(100n * sol)], { accounts: { addresses } })).toMatchObject({
    err: { InstructionError: [0, { Custom: 1 }] },
    accounts: [null, null, null],
  })
  const wrong = { encoding: 'base64', accounts: { addresses, encoding: 'base58' } }
  expect(
    await rpc(url, 'simulateTransaction', base64(await signed(chain, payer, [transfer(sol)])), wrong),
  ).toMatchObject({ error: { code: -32602 } })
})
