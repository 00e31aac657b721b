import { CommitmentLevel } from '@fairlead/grpc/geyser'
import type { EmbeddedSolanaChain } from './embedded-solana-chain.ts'
import {
  createTokenProgramAccount,
  initializeMint,
  initializeTokenAccount,
  mintBytes,
  mintTokens,
  signTransaction,
  tokenAccountBytes,
} from './instructions.ts'
import type { SampleKeys } from './sample-keys.ts'
import type { SolanaExample } from './solana-chain.ts'
import type { Traffic } from './traffic.ts'

const lamportsPerSol = 1_000_000_000n
const supply = 1_000_000_000_000n

/** Returns the addresses and signatures of the sample data. */
export function exampleOf(keys: SampleKeys): SolanaExample {
  return {
    payer: keys.payer.address,
    recipient: keys.recipient.address,
    mint: keys.mint.address,
    token_account: keys.payerTokens.address,
    recipient_token_account: keys.recipientTokens.address,
  }
}

/**
 * Fills a fresh chain with sample data: accounts with lamports, an SPL token with two holders, and transfers over
 * enough slots that the first ones are final.
 */
export async function seedChain(
  chain: EmbeddedSolanaChain,
  keys: SampleKeys,
  traffic: Traffic,
  slots: number,
): Promise<void> {
  const { payer, recipient, mint, payerTokens, recipientTokens } = keys
  await chain.airdrop(payer.publicKey, 1_000_000n * lamportsPerSol)
  await chain.airdrop(recipient.publicKey, 1_000n * lamportsPerSol)
  chain.makeSlot()

  const mintRent = chain.minimumBalance(mintBytes)
  const accountRent = chain.minimumBalance(tokenAccountBytes)
  const { blockhash } = chain.tip(CommitmentLevel.PROCESSED)
  const create = signTransaction([payer, mint, payerTokens, recipientTokens], blockhash, [
    createTokenProgramAccount(payer, mint, mintRent, mintBytes),
    initializeMint(mint, payer),
    createTokenProgramAccount(payer, payerTokens, accountRent, tokenAccountBytes),
    initializeTokenAccount(payerTokens, mint, payer),
    createTokenProgramAccount(payer, recipientTokens, accountRent, tokenAccountBytes),
    initializeTokenAccount(recipientTokens, mint, recipient),
  ])
  await chain.send(create)
  await chain.send(signTransaction([payer], blockhash, [mintTokens(mint, payerTokens, payer, supply)]))
  await chain.send(signTransaction([payer], blockhash, [mintTokens(mint, recipientTokens, payer, supply)]))
  chain.makeSlot()
  for (let slot = 0; slot < slots; slot++) {
    for (let index = 0; index < traffic.transactionsPerSlot; index++) await traffic.send(index)
    chain.makeSlot()
  }
}
