import {
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Address,
  type AddressesByLookupTableAddress,
  type Blockhash,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit'
import { onTestFinished } from 'vitest'
import { createSolanaChain, type SolanaChainOptions } from '../src/solana/chain/create-solana-chain.ts'
import type { EmbeddedSolanaChain } from '../src/solana/chain/embedded-solana-chain.ts'
import type { ChainEvent } from '../src/solana/chain/solana-chain.ts'
import { scratchDirectory } from './scratch.ts'

/** Lamports of a SOL. */
export const sol = 1_000_000_000n

/** Starts a chain that produces slots on demand, without generated traffic. */
export async function startChain(options: Partial<SolanaChainOptions> = {}): Promise<EmbeddedSolanaChain> {
  const chain = await createSolanaChain({
    directory: options.directory ?? (await scratchDirectory()),
    secondsPerSlot: 0,
    traffic: false,
    finalityBlocks: 4,
    onLost: (error) => {
      throw error
    },
    ...options,
  })
  onTestFinished(() => chain.stop())
  return chain
}

/** Creates a signer account with lamports. */
export async function fundedSigner(chain: EmbeddedSolanaChain, lamports = 10n * sol): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner()
  await chain.airdrop(keyOf(signer.address), lamports)
  return signer
}

/** Options of a signature. */
export interface SigningOptions {
  readonly version?: 'legacy' | 0
  /** base58; the latest one by default */
  readonly blockhash?: string
  /** Address lookup tables of the transaction. */
  readonly tables?: AddressesByLookupTableAddress
}

/** Signs a transaction. */
export async function signed(
  chain: EmbeddedSolanaChain,
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  { version = 0, blockhash = chain.tip(0).blockhash, tables = {} }: SigningOptions = {},
): Promise<Uint8Array> {
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n }
  if (version === 'legacy') {
    const message = pipe(
      createTransactionMessage({ version }),
      (empty) => setTransactionMessageFeePayerSigner(payer, empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
      (limited) => appendTransactionMessageInstructions(instructions, limited),
    )
    return encoded(await signTransactionMessageWithSigners(message))
  }
  const message = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (limited) => appendTransactionMessageInstructions(instructions, limited),
    (transactionMessage) => compressTransactionMessageUsingAddressLookupTables(transactionMessage, tables),
  )
  return encoded(await signTransactionMessageWithSigners(message))
}

/** Bytes of a signed transaction. */
export function encoded(
  transaction: Parameters<ReturnType<typeof getTransactionEncoder>['encode']>[0],
): Uint8Array {
  return Uint8Array.from(getTransactionEncoder().encode(transaction))
}

/** Bytes of an address. */
export function keyOf(address: string): Uint8Array {
  return Uint8Array.from(getAddressEncoder().encode(address as Address))
}

/** Collects all events of a chain. */
export function record(chain: EmbeddedSolanaChain): ChainEvent[] {
  const events: ChainEvent[] = []
  onTestFinished(chain.listen((event) => events.push(event)))
  return events
}

/** The last reported transaction. */
export function lastTransaction(events: readonly ChainEvent[]): ChainEvent & { kind: 'transaction' } {
  const event = events.findLast((candidate) => candidate.kind === 'transaction')
  if (event?.kind !== 'transaction') throw new Error('no transaction was reported')
  return event
}

/** Returns the error, in hexadecimal, with which a transaction is rejected. */
export async function rejectionOf(sending: Promise<unknown>): Promise<string> {
  const error: unknown = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error) || !('err' in error) || !(error.err instanceof Uint8Array)) throw error
  return hex(error.err)
}

/** Bytes as hexadecimal digits. */
export function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('hex')
}
