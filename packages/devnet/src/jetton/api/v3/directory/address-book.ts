import { Address, type ShardAccount } from '@ton/core'
import type { JettonChain } from '../../../chain/jetton-chain.ts'
import { walletOf } from '../rows/wallet.ts'

/** One account of an address book. */
export interface AddressBookRow {
  readonly user_friendly: string
  readonly domain: null
  readonly interfaces: readonly string[]
}

/** Formats an account for an address book: wallets and accounts without code get the non-bounceable form. */
export async function addressBookRow(chain: JettonChain, raw: string): Promise<AddressBookRow> {
  const address = Address.parseRaw(raw)
  const account = await chain.account(address)
  const isContract = account.account?.storage.state.type === 'active'
  const bounceable = isContract && walletOf(account) === undefined
  return {
    user_friendly: address.toString({ bounceable }),
    domain: null,
    interfaces: interfacesOf(chain, address, account),
  }
}

/** Returns the interface names of an account. */
export function interfacesOf(chain: JettonChain, address: Address, account: ShardAccount): readonly string[] {
  const raw = address.toRawString()
  const wallet = walletOf(account)
  return [
    // As in wallet_v4r2.
    ...(wallet === undefined ? [] : [wallet.type.replace(' ', '_').replace(' ', '')]),
    ...(chain.index.masters.has(raw) ? ['jetton_master'] : []),
    ...(chain.index.wallets.has(raw) ? ['jetton_wallet'] : []),
  ]
}
