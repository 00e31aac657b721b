import type { ShardAccount } from '@ton/core'
import { readWallet, type Wallet, type WalletData } from '../../cells/wallets.ts'

/** Returns the wallet of an account; undefined for any other account. */
export function walletOf({ account }: ShardAccount): Wallet | undefined {
  const stored = account?.storage.state
  if (stored?.type !== 'active') return undefined
  const { code, data } = stored.state
  return readWallet(code ?? undefined, data ?? undefined)
}

/** Formats the contents of a wallet's data. */
export function walletFields(
  wallet: Wallet | undefined,
): Partial<WalletData & { readonly wallet_type: string }> {
  return wallet === undefined ? {} : { wallet_type: wallet.type, ...wallet.data }
}
