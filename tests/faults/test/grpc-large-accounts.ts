import {
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Blockhash,
} from '@solana/kit'
import { getCreateAccountInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'

const bytes = 4_190_000n

/** Creates accounts of 4.19 MB each in one transaction, which may allocate 20 MiB in total. */
export async function sendLargeAccounts(rpcUrl: string, count: number): Promise<void> {
  const payer = await generateKeyPairSigner()
  const accounts = await Promise.all(Array.from({ length: count }, () => generateKeyPairSigner()))
  const lamports = await call<number>(rpcUrl, 'getMinimumBalanceForRentExemption', Number(bytes))
  await call(rpcUrl, 'requestAirdrop', payer.address, lamports * count + 1_000_000_000)
  const { value } = await call<{ value: { blockhash: string } }>(rpcUrl, 'getLatestBlockhash', {
    commitment: 'processed',
  })
  const instructions = accounts.map((newAccount) =>
    getCreateAccountInstruction({
      payer,
      newAccount,
      lamports,
      space: bytes,
      programAddress: SYSTEM_PROGRAM_ADDRESS,
    }),
  )
  const lifetime = { blockhash: value.blockhash as Blockhash, lastValidBlockHeight: 0n }
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (limited) => appendTransactionMessageInstructions(instructions, limited),
  )
  const wire = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message))
  await call(rpcUrl, 'sendTransaction', wire, { encoding: 'base64', preflightCommitment: 'processed' })
}

async function call<result>(rpcUrl: string, method: string, ...params: readonly unknown[]): Promise<result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(rpcUrl, { method: 'POST', body })
  const { result, error } = (await response.json()) as { result: result; error?: unknown }
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}
