import {
  AccountRole,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  getAddressDecoder,
  getAddressEncoder,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Address,
  type Blockhash,
  type Instruction,
  type SignatureBytes,
} from '@solana/kit'
import type { Signer } from './signer.ts'

const systemProgram = '11111111111111111111111111111111' as Address
const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address
const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address

const addressDecoder = getAddressDecoder()
const encoder = getTransactionEncoder()

/** Decimals of the sample token. */
export const tokenDecimals = 6
/** Sizes of the token program accounts in bytes. */
export const mintBytes = 82n
export const tokenAccountBytes = 165n

/**
 * Signs a transaction.
 *
 * @param signers All required signers; the first one pays.
 * @param blockhash base58
 * @returns Its bytes in wire format.
 */
export function signTransaction(
  signers: readonly [Signer, ...Signer[]],
  blockhash: string,
  instructions: readonly Instruction[],
  version: 'legacy' | 0 = 0,
): Uint8Array {
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n }
  const message = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayer(signers[0].address, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (limited) => appendTransactionMessageInstructions(instructions, limited),
  )
  const compiled = compileTransaction(message)
  const bytes = Uint8Array.from(compiled.messageBytes)
  const signatures = { ...compiled.signatures }
  for (const { address, sign } of signers) signatures[address] = sign(bytes) as SignatureBytes
  return Uint8Array.from(encoder.encode({ ...compiled, signatures }))
}

/** Creates the instruction that transfers lamports. */
export function transferLamports(from: Signer, to: Uint8Array, lamports: bigint): Instruction {
  return {
    programAddress: systemProgram,
    accounts: [signing(from), { address: addressDecoder.decode(to), role: AccountRole.WRITABLE }],
    data: Buffer.concat([u32(2), u64(lamports)]),
  }
}

/** Creates the instruction that creates an account of the token program. */
export function createTokenProgramAccount(
  payer: Signer,
  account: Signer,
  lamports: bigint,
  dataBytes: bigint,
): Instruction {
  const owner = getAddressEncoder().encode(tokenProgram) as Uint8Array
  return {
    programAddress: systemProgram,
    accounts: [signing(payer), signing(account)],
    data: Buffer.concat([u32(0), u64(lamports), u64(dataBytes), owner]),
  }
}

/** Creates the instruction that initializes an account as a token mint, without a freeze authority. */
export function initializeMint(mint: Signer, authority: Signer): Instruction {
  return {
    programAddress: tokenProgram,
    accounts: [writing(mint)],
    data: Buffer.concat([Uint8Array.of(20, tokenDecimals), authority.publicKey, Uint8Array.of(0)]),
  }
}

/** Creates the instruction that initializes an account as a token account. */
export function initializeTokenAccount(account: Signer, mint: Signer, owner: Signer): Instruction {
  return {
    programAddress: tokenProgram,
    accounts: [writing(account), { address: mint.address, role: AccountRole.READONLY }],
    data: Buffer.concat([Uint8Array.of(18), owner.publicKey]),
  }
}

/** Creates the instruction that mints tokens. */
export function mintTokens(mint: Signer, account: Signer, authority: Signer, amount: bigint): Instruction {
  return {
    programAddress: tokenProgram,
    accounts: [
      writing(mint),
      writing(account),
      { address: authority.address, role: AccountRole.READONLY_SIGNER },
    ],
    data: Buffer.concat([Uint8Array.of(7), u64(amount)]),
  }
}

/** Creates the instruction that transfers tokens from one account to another. */
export function transferTokens(
  from: Signer,
  mint: Signer,
  to: Signer,
  owner: Signer,
  amount: bigint,
): Instruction {
  return {
    programAddress: tokenProgram,
    accounts: [
      writing(from),
      { address: mint.address, role: AccountRole.READONLY },
      writing(to),
      { address: owner.address, role: AccountRole.READONLY_SIGNER },
    ],
    data: Buffer.concat([Uint8Array.of(12), u64(amount), Uint8Array.of(tokenDecimals)]),
  }
}

/** Creates the instruction that writes a text to the log. */
export function memo(text: string): Instruction {
  return { programAddress: memoProgram, data: Buffer.from(text) }
}

function signing({ address }: Signer) {
  return { address, role: AccountRole.WRITABLE_SIGNER } as const
}

function writing({ address }: Signer) {
  return { address, role: AccountRole.WRITABLE } as const
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
