import { writeRawAddress } from '../../cells/address.ts'
import type { IndexedJettonMaster, IndexedJettonWallet, JettonIndex } from '../../../chain/jetton-chain.ts'

/** Indexed metadata of the tokens of some accounts, by their addresses. */
export type Metadata = Record<string, { readonly is_indexed: true; readonly token_info: readonly object[] }>

/**
 * Formats the indexed metadata of the jettons among some accounts; a jetton wallet adds its master.
 *
 * @param accounts addresses in raw form, in lower case
 */
export function tokenMetadata({ masters, wallets }: JettonIndex, accounts: Iterable<string>): Metadata {
  const metadata: Metadata = {}
  const add = (address: string, info: object) => {
    metadata[writeRawAddress(address)] = { is_indexed: true, token_info: [info] }
  }
  for (const account of accounts) {
    const wallet = wallets.get(account)
    if (wallet !== undefined) add(account, walletInfo(wallet))
    const master = masters.get(wallet?.master ?? account)
    if (master !== undefined) add(master.address, masterInfo(master))
  }
  return metadata
}

function walletInfo({ balance, owner, master }: IndexedJettonWallet) {
  const extra = {
    balance: String(balance),
    owner: writeRawAddress(owner),
    jetton: writeRawAddress(master),
  }
  return { valid: true, type: 'jetton_wallets', extra }
}

const standardFields = ['name', 'symbol', 'description', 'image']

function masterInfo({ content }: IndexedJettonMaster) {
  const fields = Object.entries(content)
  const standardEntries = fields.filter(([name]) => standardFields.includes(name))
  const others = fields.filter(([name]) => !standardFields.includes(name))
  return {
    valid: true,
    type: 'jetton_masters',
    ...Object.fromEntries(standardEntries),
    extra: Object.fromEntries(others),
  }
}
