import { CommitmentLevel } from '@fairlead/grpc/geyser'
import type { EmbeddedSolanaChain } from './embedded-solana-chain.ts'
import { memo, signTransaction, transferLamports, transferTokens } from './instructions.ts'
import type { SampleKeys } from './sample-keys.ts'
import { TransactionRefused } from './transaction-refused.ts'

/** The generated traffic of the chain. */
export interface Traffic {
  /** Transactions in a slot. */
  readonly transactionsPerSlot: number
  /** Sends one of them, by its position in the slot. */
  send(index: number): Promise<void>
}

const failingEvery = 4n
const excessiveLamports = 1n << 60n

/** Creates the generated traffic of a chain: lamports and tokens are sent back and forth, and some transfers fail. */
export function createTraffic(chain: EmbeddedSolanaChain, keys: SampleKeys): Traffic {
  const { payer, recipient, mint, payerTokens, recipientTokens } = keys

  function transactionFor(index: number): Uint8Array {
    const { slot, transactions } = chain.pendingSlot
    const { blockhash } = chain.tip(CommitmentLevel.PROCESSED)
    // All transactions must differ, even if a slot is produced a second time on another branch.
    const amount = 1_000n + slot * 100n + BigInt(transactions.length)
    if (index === 0) {
      return signTransaction([payer], blockhash, [transferLamports(payer, recipient.publicKey, amount)])
    }
    if (index === 1) {
      const outgoing = transferTokens(payerTokens, mint, recipientTokens, payer, amount)
      return signTransaction([payer], blockhash, [outgoing], 'legacy')
    }
    if (index === 2) {
      return signTransaction([recipient], blockhash, [transferLamports(recipient, payer.publicKey, amount)])
    }
    if (index === 3) {
      const returning = transferTokens(recipientTokens, mint, payerTokens, recipient, amount)
      return signTransaction([payer, recipient], blockhash, [returning])
    }
    const isFailing = slot % failingEvery === 0n
    const last = isFailing
      ? transferLamports(payer, recipient.publicKey, excessiveLamports)
      : memo(`slot ${slot}`)
    return signTransaction([payer], blockhash, [memo(String(amount)), last])
  }

  return {
    transactionsPerSlot: 5,
    async send(index) {
      try {
        await chain.send(transactionFor(index), { skipPreflight: true })
      } catch (error) {
        if (!(error instanceof TransactionRefused)) throw error
      }
    },
  }
}
