import { Address, type ShardAccount } from '@ton/core'
import { writeRawAddress } from '../../cells/address.ts'
import { writeBoc } from '../../cells/bag-of-cells.ts'
import { writeHash } from '../../cells/hash.ts'
import type { JettonChain } from '../../../chain/jetton-chain.ts'
import { addressBookRow, interfacesOf } from '../directory/address-book.ts'
import { directory } from '../directory/directory.ts'
import { tokenMetadata } from '../directory/token-metadata.ts'
import { query } from '../operation.ts'
import { pageOf, rowsOrNull } from '../page.ts'
import { addresses, atLeastOne, boolean, page, texts, withDefault, type Reader } from '../parameters.ts'
import { contractMethods } from '../rows/contract-methods.ts'
import { extraCurrencies } from '../rows/currencies.ts'
import { walletFields, walletOf } from '../rows/wallet.ts'

const someAddresses = atLeastOne(addresses)

/** Addresses with the texts of the request. */
const formattedAddresses: Reader<readonly (readonly [written: string, address: Address])[]> = (
  input,
  name,
) => {
  const read = someAddresses(input, name)
  return texts(input, name).map((text, index) => [text, read[index] as Address])
}

export const accountOperations = [
  query('addressBook', { address: formattedAddresses }, async ({ chain }, values) => {
    const rows = values.address.map(
      async ([written, address]) => [written, await addressBookRow(chain, address.toRawString())] as const,
    )
    return Object.fromEntries(await Promise.all(rows))
  }),

  query('metadata', { address: someAddresses }, ({ chain }, values) =>
    tokenMetadata(
      chain.index,
      values.address.map((address) => address.toRawString()),
    ),
  ),

  query(
    'accountStates',
    { address: someAddresses, include_boc: withDefault(boolean, true) },
    async (context, values) => {
      const existing = await existingAccounts(context.chain, values.address)
      const rows = await Promise.all(
        existing.map(([address, account]) => stateRow(context.chain, address, account, values.include_boc)),
      )
      return {
        accounts: rowsOrNull(rows),
        ...(await directory(
          context,
          rows.map(({ address }) => address),
        )),
      }
    },
  ),

  query('walletStates', { address: someAddresses }, async (context, values) => {
    const existing = await existingAccounts(context.chain, values.address)
    const rows = await Promise.all(
      existing.map(([address, account]) => walletRow(context.chain, address, account)),
    )
    return {
      wallets: rowsOrNull(rows),
      ...(await directory(
        context,
        rows.map((row) => row.address),
      )),
    }
  }),

  query('topAccountsByBalance', page, async ({ chain }, values) => {
    const rows = [...chain.accounts()].map(async (raw) => ({
      raw,
      balance: (await chain.summary(Address.parseRaw(raw))).balance,
    }))
    const descending = (await Promise.all(rows)).toSorted((left, right) =>
      Number(right.balance - left.balance),
    )
    const top = await pageOf(descending, values)
    return rowsOrNull(
      top.map(({ raw, balance }) => ({ account: writeRawAddress(raw), balance: String(balance) })),
    )
  }),
]

type Existing = readonly [address: Address, account: ShardAccount]

async function existingAccounts(
  chain: JettonChain,
  wanted: readonly Address[],
): Promise<readonly Existing[]> {
  const read = wanted.map(async (address): Promise<Existing> => [address, await chain.account(address)])
  return (await Promise.all(read)).filter(([, { account }]) => account)
}

async function stateRow(chain: JettonChain, address: Address, account: ShardAccount, withBoc: boolean) {
  const summary = await chain.summary(address)
  const storage = account.account?.storage
  const state = storage?.state.type === 'active' ? storage.state.state : undefined
  return {
    address: writeRawAddress(address),
    account_state_hash: writeHash(summary.hash),
    balance: String(summary.balance),
    extra_currencies: storage === undefined ? {} : extraCurrencies(storage.balance),
    status: summary.status,
    ...(summary.frozenHash && { frozen_hash: writeHash(summary.frozenHash) }),
    last_transaction_hash: writeHash(account.lastTransactionHash),
    last_transaction_lt: String(account.lastTransactionLt),
    ...(summary.dataHash && { data_hash: writeHash(summary.dataHash) }),
    ...(summary.codeHash && { code_hash: writeHash(summary.codeHash) }),
    ...(withBoc && state?.data && { data_boc: writeBoc(state.data) }),
    ...(withBoc && state?.code && { code_boc: writeBoc(state.code) }),
    contract_methods: contractMethods(state?.code),
    interfaces: interfacesOf(chain, address, account),
  }
}

async function walletRow(chain: JettonChain, address: Address, account: ShardAccount) {
  const { balance, status, codeHash } = await chain.summary(address)
  const storage = account.account?.storage
  const wallet = walletOf(account)
  return {
    address: writeRawAddress(address),
    is_wallet: wallet !== undefined,
    ...walletFields(wallet),
    balance: String(balance),
    extra_currencies: storage === undefined ? {} : extraCurrencies(storage.balance),
    status,
    ...(codeHash && { code_hash: writeHash(codeHash) }),
    last_transaction_hash: writeHash(account.lastTransactionHash),
    last_transaction_lt: String(account.lastTransactionLt),
  }
}
