import {
  type Address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  type Signature,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { vi } from 'vitest'

/** Sends transactions to the chain over the JSON-RPC of its node, with a third-party client. */
export interface SolanaWriter {
  readonly rpc: ReturnType<typeof createSolanaRpc>
  /** Requests lamports and waits until they have arrived. */
  fund(receiver: Address, amount: bigint): Promise<void>
  /** Creates a funded account. */
  createPayer(): Promise<KeyPairSigner>
  /** Signs instructions and sends them. `unseen` skips the preflight simulation. */
  send(
    payer: KeyPairSigner,
    instructions: readonly Instruction[],
    skipPreflight?: boolean,
  ): Promise<Signature>
  /** The lamports for which an account of a size is rent-exempt. */
  rent(bytes: number): Promise<bigint>
}

export function solanaWriter(rpcUrl: string): SolanaWriter {
  const rpc = createSolanaRpc(rpcUrl)
  const fund = async (receiver: Address, amount: bigint) => {
    await rpc.requestAirdrop(receiver, lamports(amount)).send()
    await vi.waitUntil(
      async () => (await rpc.getBalance(receiver, { commitment: 'processed' }).send()).value >= amount,
      { timeout: 20_000, interval: 100 },
    )
  }
  return {
    rpc,
    fund,
    async createPayer() {
      const payer = await generateKeyPairSigner()
      await fund(payer.address, 5_000_000_000n)
      return payer
    },
    async send(payer, instructions, skipPreflight = false) {
      const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'processed' }).send()
      const message = pipe(
        createTransactionMessage({ version: 0 }),
        (empty) => setTransactionMessageFeePayerSigner(payer, empty),
        (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
        (limited) => appendTransactionMessageInstructions(instructions, limited),
      )
      const transaction = await signTransactionMessageWithSigners(message)
      await rpc
        .sendTransaction(getBase64EncodedWireTransaction(transaction), {
          encoding: 'base64',
          skipPreflight,
          preflightCommitment: 'processed',
        })
        .send()
      return getSignatureFromTransaction(transaction)
    },
    rent: (bytes) => rpc.getMinimumBalanceForRentExemption(BigInt(bytes)).send(),
  }
}
