import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  getBase58Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransaction,
  type Transaction as KitTransaction,
} from '@solana/kit'
import { describe, expect, it } from 'vitest'
import { Message, Transaction } from '../../generated/solana-storage.ts'
import { encodeBase58 } from '../base58.ts'
import { bytesOf, randomOf } from '../testing/chain.ts'
import { encodeTransaction } from './encode-transaction.ts'

const lifetime = {
  blockhash: encodeBase58(bytesOf(5, 32)) as Blockhash,
  lastValidBlockHeight: 1000n,
}
const anyAddress = (seed: number): Address => address(encodeBase58(bytesOf(seed, 32)))

/** Pseudorandom instructions that depend on a number only; a second signer takes part. */
function instructionsOf(seed: number, signer: KeyPairSigner): Instruction[] {
  const random = randomOf(seed)
  const integer = (below: number) => Math.floor(random() * below)
  return Array.from({ length: 1 + integer(4) }, (_, position) => ({
    programAddress: anyAddress(1 + integer(3)),
    accounts: [
      { address: signer.address, role: position === 0 ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY },
      ...Array.from({ length: integer(6) }, () => ({
        address: anyAddress(100 + integer(12)),
        role: random() < 0.5 ? AccountRole.WRITABLE : AccountRole.READONLY,
      })),
    ],
    // A length above 127 bytes takes two bytes.
    data: bytesOf(seed + position, integer(200)),
  }))
}

/** Builds the message of an update from a transaction that the library has compiled. */
function updateOf({ messageBytes, signatures }: KitTransaction): Transaction {
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes)
  const key = (text: string) => Uint8Array.from(getBase58Encoder().encode(text))
  const header = {
    numRequiredSignatures: compiled.header.numSignerAccounts,
    numReadonlySignedAccounts: compiled.header.numReadonlySignerAccounts,
    numReadonlyUnsignedAccounts: compiled.header.numReadonlyNonSignerAccounts,
  }
  const common = {
    header,
    accountKeys: compiled.staticAccounts.map(key),
    recentBlockhash: key(compiled.lifetimeToken),
    versioned: compiled.version !== 'legacy',
  }
  const message =
    compiled.version === 1
      ? Message.fromPartial({
          ...common,
          instructions: compiled.instructionHeaders.map(({ programAccountIndex }, position) => ({
            programIdIndex: programAccountIndex,
            accounts: Uint8Array.from(
              compiled.instructionPayloads[position]?.instructionAccountIndices ?? [],
            ),
            data: Uint8Array.from(compiled.instructionPayloads[position]?.instructionData ?? []),
          })),
          config: configOf(compiled.configMask, compiled.configValues),
        })
      : Message.fromPartial({
          ...common,
          instructions: compiled.instructions.map(({ programAddressIndex, accountIndices, data }) => ({
            programIdIndex: programAddressIndex,
            accounts: Uint8Array.from(accountIndices ?? []),
            data: Uint8Array.from(data ?? []),
          })),
          addressTableLookups:
            compiled.version === 0
              ? (compiled.addressTableLookups ?? []).map((lookup) => ({
                  accountKey: Uint8Array.from(getAddressEncoder().encode(lookup.lookupTableAddress)),
                  writableIndexes: Uint8Array.from(lookup.writableIndexes),
                  readonlyIndexes: Uint8Array.from(lookup.readonlyIndexes),
                }))
              : [],
        })
  return { signatures: Object.values(signatures).map((bytes) => Uint8Array.from(bytes ?? [])), message }
}

function configOf(mask: number, values: readonly { value: number | bigint }[]) {
  const remaining = [...values]
  const next = (bit: number) => (mask & bit ? remaining.shift()?.value : undefined)
  const number = (bit: number) => {
    const value = next(bit)
    return value === undefined ? undefined : Number(value)
  }
  const fee = next(3)
  return {
    priorityFee: fee === undefined ? undefined : BigInt(fee),
    computeUnitLimit: number(4),
    loadedAccountsDataSizeLimit: number(8),
    heapSize: number(16),
  }
}

async function checkAgainstKit(transaction: KitTransaction): Promise<void> {
  const bytes = Uint8Array.from(getTransactionEncoder().encode(transaction))
  // Encoded and decoded, like a received update.
  const update = Transaction.decode(Transaction.encode(updateOf(transaction)).finish())
  const encoded = encodeTransaction(update)
  expect(encoded).toEqual(bytes)
  expect(getTransactionDecoder().decode(encoded).signatures).toEqual(transaction.signatures)
}

describe('encodeTransaction', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))(
    'encodes the legacy version, seed %i',
    async (seed) => {
      const [payer, signer] = [await generateKeyPairSigner(), await generateKeyPairSigner()]
      const message = pipe(
        createTransactionMessage({ version: 'legacy' }),
        (draft) => setTransactionMessageFeePayer(payer.address, draft),
        (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
        (draft) => appendTransactionMessageInstructions(instructionsOf(seed, signer), draft),
      )
      await checkAgainstKit(
        await signTransaction([payer.keyPair, signer.keyPair], compileTransaction(message)),
      )
    },
  )

  it.each(Array.from({ length: 12 }, (_, seed) => seed))(
    'encodes version 0 with lookup tables, seed %i',
    async (seed) => {
      const [payer, signer] = [await generateKeyPairSigner(), await generateKeyPairSigner()]
      const message = pipe(
        createTransactionMessage({ version: 0 }),
        (draft) => setTransactionMessageFeePayer(payer.address, draft),
        (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
        (draft) => appendTransactionMessageInstructions(instructionsOf(seed, signer), draft),
        (draft) =>
          compressTransactionMessageUsingAddressLookupTables(draft, {
            [anyAddress(50)]: [100, 101, 102, 103].map(anyAddress),
            [anyAddress(51)]: [104, 105, 106].map(anyAddress),
          }),
      )
      await checkAgainstKit(
        await signTransaction([payer.keyPair, signer.keyPair], compileTransaction(message)),
      )
    },
  )

  it.each([
    {},
    { computeUnitLimit: 200_000 },
    { priorityFeeLamports: 2n ** 40n + 7n, heapSize: 65_536 },
    { priorityFeeLamports: 1n, computeUnitLimit: 2, loadedAccountsDataSizeLimit: 3, heapSize: 40_960 },
  ])('encodes version 1 with %o', async (config) => {
    const [payer, signer] = [await generateKeyPairSigner(), await generateKeyPairSigner()]
    const message = pipe(
      createTransactionMessage({ version: 1 }),
      (draft) => setTransactionMessageFeePayer(payer.address, draft),
      (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
      (draft) => appendTransactionMessageInstructions(instructionsOf(3, signer), draft),
      (draft) => setTransactionMessageConfig(config, draft),
    )
    await checkAgainstKit(await signTransaction([payer.keyPair, signer.keyPair], compileTransaction(message)))
  })

  it('names the invalid field', () => {
    const transaction = Transaction.fromPartial({
      signatures: [bytesOf(1, 64)],
      message: { header: { numRequiredSignatures: 1 }, accountKeys: [bytesOf(2, 31)] },
    })
    expect(() => encodeTransaction(transaction)).toThrow('message.accountKeys[0]')
    expect(() => encodeTransaction({ signatures: [bytesOf(1, 63)], message: undefined })).toThrow(
      'at message:',
    )
  })
})
