import type { TokenBalance } from '@fairlead/grpc/geyser'
import { getAddressDecoder, getAddressEncoder, type Address } from '@solana/kit'
import type { EngineAccount } from './engine.ts'

const decoder = getAddressDecoder()
const encode = (key: string) => Buffer.from(getAddressEncoder().encode(key as Address))

/** The programs SPL Token and Token-2022. */
export const tokenProgram = encode('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const token2022Program = encode('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')

// Layouts of the token programs: an account is mint, owner, amount ... state; the account type follows it.
const accountBytes = 165
const ownerOffset = 32
const amountOffset = 64
const stateOffset = 108
const mintBytes = 82
const decimalsOffset = 44
const mintStateOffset = 45
const multisigBytes = 355
const accountKind = 2
const mintKind = 1

/**
 * Reads the token balances of a transaction's accounts, as a validator records them before and after it.
 *
 * @param keys All accounts of the transaction, in order.
 * @param accounts Their states.
 * @param find Finds an account that is not among them.
 * @returns A balance for each account that holds tokens; empty when the transaction names no token program.
 */
export function readTokenBalances(
  keys: readonly Uint8Array[],
  accounts: readonly (EngineAccount | undefined)[],
  find: (pubkey: Uint8Array) => EngineAccount | undefined,
): TokenBalance[] {
  if (!keys.some(isTokenProgram)) return []
  return accounts.flatMap((account, accountIndex) => {
    if (account === undefined || !isTokenProgram(account.owner())) return []
    const data = Buffer.from(account.data())
    if (!isOfKind(data, accountBytes, accountKind) || data[stateOffset] === 0) return []
    const mint = data.subarray(0, 32)
    const decimals = decimalsOf(find(mint))
    if (decimals === undefined) return []
    const amount = data.readBigUInt64LE(amountOffset)
    return {
      accountIndex,
      mint: decoder.decode(mint),
      owner: decoder.decode(data, ownerOffset),
      programId: decoder.decode(account.owner()),
      uiTokenAmount: {
        amount: String(amount),
        decimals,
        uiAmount: Number(amount) / 10 ** decimals,
        uiAmountString: decimalText(amount, decimals),
      },
    }
  })
}

function decimalsOf(mint: EngineAccount | undefined): number | undefined {
  if (mint === undefined || !isTokenProgram(mint.owner())) return undefined
  const data = mint.data()
  return isOfKind(data, mintBytes, mintKind) && data[mintStateOffset] === 1 ? data[decimalsOffset] : undefined
}

// Token-2022 pads both types to the length of an account and appends the account type when extensions follow.
function isOfKind(data: Uint8Array, plainBytes: number, kind: number): boolean {
  if (data.length === plainBytes) return true
  return data.length > accountBytes && data.length !== multisigBytes && data[accountBytes] === kind
}

function decimalText(amount: bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

function isTokenProgram(key: Uint8Array): boolean {
  return tokenProgram.equals(key) || token2022Program.equals(key)
}
