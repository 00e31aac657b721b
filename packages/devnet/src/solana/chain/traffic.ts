import { CommitmentLevel } from '@fairlead/grpc/geyser'
import type { EmbeddedSolanaChain } from './embedded-solana-chain.ts'
import { memo, signTransaction, transferLamports, transferTokens } from './instructions.ts'
import type { SampleKeys } from './sample-keys.ts'
import { TransactionRefused } from './transaction-refused.ts'

/** The generated traffic of the chain. */
export interface Traffic {
  /** Transactions in a slot. */
  readonly turns: number
  /** Sends one of them, by its position in the slot. */
  send(turn: number): Promise<void>
}

const failingEvery = 4n
const moreThanAnybodyHas = 1n << 60n

/** Creates the generated traffic of a chain: lamports and tokens are sent back and forth, and some transfers fail. */
export function createTraffic(chain: EmbeddedSolanaChain, keys: SampleKeys): Traffic {
  const { payer, recipient, mint, payerTokens, recipientTokens } = keys

  function transactionFor(turn: number): Uint8Array {
    const { slot, transactions } = chain.slotUnderWay
    const { blockhash } = chain.tip(CommitmentLevel.PROCESSED)
    // All transactions must differ, even if a slot is produced a second time on another branch.
    const amount = 1_000n + slot * 100n + BigInt(transactions.length)
    if (turn === 0) {
      return signTransaction([payer], blockhash, [transferLamports(payer, recipient.publicKey, amount)])
    }
    if (turn === 1) {
      const forth = transferTokens(payerTokens, mint, recipientTokens, payer, amount)
      return signTransaction([payer], blockhash, [forth], 'legacy')
    }
    if (turn === 2) {
      return signTransaction([recipient], blockhash, [transferLamports(recipient, payer.publicKey, amount)])
    }
    if (turn === 3) {
      const back = transferTokens(recipientTokens, mint, payerTokens, recipient, amount)
      return signTransaction([payer, recipient], blockhash, [back])
    }
    const isFailing = slot % failingEvery === 0n
    const last = isFailing
      ? transferLamports(payer, recipient.publicKey, moreThanAnybodyHas)
      : memo(`slot ${slot}`)
    return signTransaction([payer], blockhash, [memo(String(amount)), last])
  }

  return {
    turns: 5,
    async send(turn) {
      try {
        await chain.send(transactionFor(turn), { skipPreflight: true })
      } catch (error) {
        if (!(error instanceof TransactionRefused)) throw error
      }
    },
  }
}
