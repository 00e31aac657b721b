import { getBase58Encoder } from '@solana/kit'
import type { Engine } from './engine.ts'
import type { WireTransaction } from './wire-transaction.ts'

const base58 = getBase58Encoder()
const advanceNonce = 4
// Layout of a nonce account: version, state, authority, nonce, fee.
const accountBytes = 80
const stateOffset = 4
const nonceOffset = 40
const nonceEnd = 72

/** Whether a transaction advances a nonce first and uses its current value instead of a recent blockhash. */
export function isNonceCurrent(engine: Engine, { content, recentBlockhash }: WireTransaction): boolean {
  const { accountKeys, instructions } = content.message
  const [first] = instructions
  const program = accountKeys[first?.programIdIndex ?? -1]
  if (first === undefined || program?.some((byte) => byte !== 0) !== false) return false
  if (first.data.length !== 4 || first.data[0] !== advanceNonce) return false
  const key = accountKeys[first.accounts[0] ?? -1]
  const data = key && engine.account(key)?.data()
  if (data?.length !== accountBytes || data[stateOffset] !== 1) return false
  return (
    Buffer.compare(data.subarray(nonceOffset, nonceEnd), Buffer.from(base58.encode(recentBlockhash))) === 0
  )
}
