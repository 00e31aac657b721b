import type { Address, Cell } from '@ton/core'
import { writeRawAddress } from '../../cells/address.ts'
import { writeBoc } from '../../cells/bag-of-cells.ts'
import { writeHash } from '../../cells/hash.ts'
import type {
  IndexedJettonBurn,
  IndexedJettonMaster,
  IndexedJettonTransfer,
  IndexedJettonWallet,
} from '../../../chain/jetton-chain.ts'
import { decodeBody } from '../decode/message-body.ts'
import { directory } from '../directory/directory.ts'
import { Failure } from '../../failure.ts'
import { query } from '../operation.ts'
import { inOrder, isInside, pageOf, rowsOrNull, filterRows } from '../page.ts'
import { address, addresses, boolean, direction, page, sort, sortIfAny, window } from '../parameters.ts'

export const jettonOperations = [
  query(
    'jetton/masters',
    { address: addresses, admin_address: addresses, ...page },
    async (context, values) => {
      const matches = anyOf(values.address)
      const isAdmin = anyOf(values.admin_address)
      const found = filterRows(
        context.chain.index.masters.values(),
        (master) => matches(master.address) && isAdmin(master.admin),
      )
      const rows = (await pageOf(found, values)).map(masterRow)
      return {
        jetton_masters: rowsOrNull(rows),
        ...(await directory(
          context,
          rows.flatMap((row) => [row.address, row.admin_address]),
        )),
      }
    },
  ),

  query(
    'jetton/wallets',
    {
      address: addresses,
      owner_address: addresses,
      jetton_address: addresses,
      exclude_zero_balance: boolean,
      ...page,
      sort: sortIfAny,
    },
    async (context, values) => {
      if (values.jetton_address.length > 1 && values.owner_address.length !== 1) {
        throw new Failure(422, 'owner_address is required for multiple jetton_address')
      }
      const matches = anyOf(values.address)
      const isOwner = anyOf(values.owner_address)
      const isMaster = anyOf(values.jetton_address)
      const found = [...context.chain.index.wallets.values()].filter(
        (wallet) =>
          matches(wallet.address) &&
          isOwner(wallet.owner) &&
          isMaster(wallet.master) &&
          (values.exclude_zero_balance !== true || wallet.balance > 0n),
      )
      const ascending = found.toSorted((left, right) => Number(left.balance - right.balance))
      const ordered = values.sort === undefined ? found : inOrder(ascending, values.sort)
      const rows = (await pageOf(ordered, values)).map(walletRow)
      return {
        jetton_wallets: rowsOrNull(rows),
        ...(await directory(
          context,
          rows.flatMap((row) => [row.address, row.owner, row.jetton]),
        )),
      }
    },
  ),

  query(
    'jetton/transfers',
    {
      owner_address: addresses,
      jetton_wallet: addresses,
      jetton_master: address,
      direction,
      ...window,
      ...page,
      sort,
    },
    async (context, values) => {
      const isOwner = anyOf(values.owner_address)
      const isWallet = anyOf(values.jetton_wallet)
      const isMaster = anyOf(oneOrNone(values.jetton_master))
      const isOfOwner = ({ source, destination }: IndexedJettonTransfer) =>
        (values.direction !== 'in' && isOwner(source)) || (values.direction !== 'out' && isOwner(destination))
      const found = filterRows(
        inOrder(context.chain.index.transfers, values.sort),
        (transfer) =>
          isOfOwner(transfer) &&
          isWallet(transfer.sourceWallet) &&
          isMaster(transfer.master) &&
          isInside(values, transfer.transaction.now, transfer.transaction.lt),
      )
      const rows = (await pageOf(found, values)).map(transferRow)
      return {
        jetton_transfers: rowsOrNull(rows),
        ...(await directory(
          context,
          rows.flatMap((row) => [
            row.source,
            row.destination,
            row.source_wallet,
            row.jetton_master,
            row.response_destination,
          ]),
        )),
      }
    },
  ),

  query(
    'jetton/burns',
    {
      owner_address: addresses,
      address: addresses,
      jetton_wallet: addresses,
      jetton_master: address,
      ...window,
      ...page,
      sort,
    },
    async (context, values) => {
      const isOwner = anyOf(values.owner_address.length > 0 ? values.owner_address : values.address)
      const isWallet = anyOf(values.jetton_wallet)
      const isMaster = anyOf(oneOrNone(values.jetton_master))
      const found = filterRows(
        inOrder(context.chain.index.burns, values.sort),
        ({ owner, wallet, master, transaction }) =>
          isOwner(owner) &&
          isWallet(wallet) &&
          isMaster(master) &&
          isInside(values, transaction.now, transaction.lt),
      )
      const rows = (await pageOf(found, values)).map(burnRow)
      return {
        jetton_burns: rowsOrNull(rows),
        ...(await directory(
          context,
          rows.flatMap((row) => [row.owner, row.jetton_wallet, row.jetton_master, row.response_destination]),
        )),
      }
    },
  ),
]

/** Whether a list contains an account; an empty list matches every account. */
function anyOf(accounts: readonly Address[]): (raw: string | undefined) => boolean {
  const wanted = new Set<string | undefined>(accounts.map((account) => account.toRawString()))
  return (raw) => wanted.size === 0 || wanted.has(raw)
}

function oneOrNone(account: Address | undefined): readonly Address[] {
  return account === undefined ? [] : [account]
}

function masterRow(master: IndexedJettonMaster) {
  return {
    address: writeRawAddress(master.address),
    total_supply: String(master.totalSupply),
    mintable: master.mintable,
    admin_address: addressOrNull(master.admin),
    jetton_content: master.content,
    jetton_wallet_code_hash: writeHash(master.walletCodeHash),
    code_hash: writeHash(master.codeHash),
    data_hash: writeHash(master.dataHash),
    last_transaction_lt: String(master.lastLt),
  }
}

function walletRow(wallet: IndexedJettonWallet) {
  return {
    address: writeRawAddress(wallet.address),
    balance: String(wallet.balance),
    owner: writeRawAddress(wallet.owner),
    jetton: writeRawAddress(wallet.master),
    last_transaction_lt: String(wallet.lastLt),
    code_hash: writeHash(wallet.codeHash),
    data_hash: writeHash(wallet.dataHash),
  }
}

function transferRow(transfer: IndexedJettonTransfer) {
  const { forwardPayload } = transfer
  return {
    query_id: String(transfer.queryId),
    source: writeRawAddress(transfer.source),
    destination: writeRawAddress(transfer.destination),
    amount: String(transfer.amount),
    source_wallet: writeRawAddress(transfer.sourceWallet),
    jetton_master: writeRawAddress(transfer.master),
    ...eventFields(transfer),
    response_destination: addressOrNull(transfer.responseDestination),
    ...customPayloadFields(transfer.customPayload),
    forward_ton_amount: String(transfer.forwardAmount),
    forward_payload: forwardPayload === undefined ? null : writeBoc(forwardPayload),
    decoded_forward_payload: forwardPayload === undefined ? null : (decodeBody(forwardPayload) ?? null),
  }
}

function burnRow(burn: IndexedJettonBurn) {
  return {
    query_id: String(burn.queryId),
    owner: writeRawAddress(burn.owner),
    jetton_wallet: writeRawAddress(burn.wallet),
    jetton_master: writeRawAddress(burn.master),
    ...eventFields(burn),
    amount: String(burn.amount),
    response_destination: addressOrNull(burn.responseDestination),
    ...customPayloadFields(burn.customPayload),
  }
}

function eventFields({ transaction, aborted }: IndexedJettonTransfer | IndexedJettonBurn) {
  return {
    transaction_hash: writeHash(transaction.hash),
    transaction_lt: String(transaction.lt),
    transaction_now: transaction.now,
    transaction_aborted: aborted,
    trace_id: writeHash(transaction.trace.id),
  }
}

function customPayloadFields(payload: Cell | undefined) {
  return {
    custom_payload: payload === undefined ? null : writeBoc(payload),
    decoded_custom_payload: payload === undefined ? null : (decodeBody(payload) ?? null),
  }
}

function addressOrNull(raw: string | undefined): string | null {
  return raw === undefined ? null : writeRawAddress(raw)
}
