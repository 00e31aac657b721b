import type { Address, Cell } from '@ton/core'
import type {
  ChainTransaction,
  IndexedJettonBurn,
  IndexedJettonMint,
  IndexedJettonTransfer,
} from '../chain/jetton-chain.ts'
import type { JettonLookup } from './jetton-lookup.ts'
import {
  jettonOperations,
  operationOf,
  readBurn,
  readInternalTransfer,
  readTransfer,
} from './jetton-messages.ts'

/** Transfers, burns and mints of one trace. */
export interface JettonRows {
  readonly transfers: readonly IndexedJettonTransfer[]
  readonly burns: readonly IndexedJettonBurn[]
  readonly mints: readonly IndexedJettonMint[]
}

/** A transaction that resulted from a message of a contract. */
interface Delivery {
  readonly transaction: ChainTransaction
  readonly sender: string
  readonly operation: number | undefined
  readonly body: Cell
  /** Whether the contract executed the message. */
  readonly succeeded: boolean
}

/**
 * Reads the jetton operations from the transactions of a trace, and looks up every account that may be a master or a
 * wallet.
 *
 * Transfers and burns that their wallet rejected are included, with `aborted`; a burn that its master rejected is not,
 * because its jettons were returned.
 *
 * @param transactions All transactions of the trace.
 * @param lookup Distinguishes masters and wallets from other contracts.
 */
export async function readRows(
  transactions: readonly ChainTransaction[],
  lookup: JettonLookup,
): Promise<JettonRows> {
  const transfers: IndexedJettonTransfer[] = []
  const burns: IndexedJettonBurn[] = []
  const mints: IndexedJettonMint[] = []
  const deliveries = transactions.flatMap(deliveryOf)
  const deliveryTo = new Map(deliveries.map((delivery) => [delivery.transaction, delivery]))
  for (const transaction of transactions) await lookup.refresh(transaction)
  for (const delivery of deliveries) {
    const { operation } = delivery
    if (operation === jettonOperations.transfer) transfers.push(...(await transferOf(delivery, lookup)))
    if (operation === jettonOperations.internalTransfer) mints.push(...(await mintOf(delivery, lookup)))
    if (operation === jettonOperations.burn) {
      const effects = delivery.transaction.children.flatMap((child) => deliveryTo.get(child) ?? [])
      burns.push(...(await burnOf(delivery, effects, lookup)))
    }
  }
  return { transfers, burns, mints }
}

async function transferOf(delivery: Delivery, lookup: JettonLookup): Promise<IndexedJettonTransfer[]> {
  const { transaction, sender, body, succeeded } = delivery
  const wallet = await lookup.wallet(transaction.account)
  const message = readTransfer(body)
  if (wallet === undefined || !message?.destination) return []
  const { queryId, amount, destination, forwardAmount } = message
  return [
    {
      transaction,
      aborted: !succeeded,
      queryId,
      source: sender,
      destination: destination.toRawString(),
      amount,
      sourceWallet: wallet.address,
      master: wallet.master,
      responseDestination: rawOf(message.responseDestination),
      customPayload: message.customPayload ?? undefined,
      forwardAmount,
      forwardPayload: message.forwardPayload ?? undefined,
    },
  ]
}

async function mintOf(delivery: Delivery, lookup: JettonLookup): Promise<IndexedJettonMint[]> {
  const { transaction, sender, body, succeeded } = delivery
  await lookup.master(sender)
  const wallet = await lookup.wallet(transaction.account)
  const message = readInternalTransfer(body)
  if (!succeeded || message === undefined || wallet?.master !== sender) return []
  const { queryId, amount } = message
  return [{ transaction, queryId, receiver: wallet.owner, wallet: wallet.address, master: sender, amount }]
}

// Any account can send a notification, so it counts only from a burn on the wallet that the master itself names.
async function burnOf(
  burn: Delivery,
  effects: readonly Delivery[],
  lookup: JettonLookup,
): Promise<IndexedJettonBurn[]> {
  const { transaction, sender, body, succeeded } = burn
  const wallet = await lookup.wallet(transaction.account)
  const message = readBurn(body)
  if (wallet === undefined || message === undefined) return []
  const isAccepted = effects.some(
    (effect) =>
      effect.operation === jettonOperations.burnNotification &&
      effect.transaction.account === wallet.master &&
      effect.succeeded,
  )
  if (succeeded && !isAccepted) return []
  return [
    {
      transaction,
      aborted: !succeeded,
      queryId: message.queryId,
      owner: sender,
      wallet: wallet.address,
      master: wallet.master,
      amount: message.amount,
      responseDestination: rawOf(message.responseDestination),
      customPayload: message.customPayload ?? undefined,
    },
  ]
}

function deliveryOf(transaction: ChainTransaction): Delivery[] {
  const { inMessage, description } = transaction.parse()
  // A bounced message starts with its own operation code.
  if (inMessage?.info.type !== 'internal') return []
  return [
    {
      transaction,
      sender: inMessage.info.src.toRawString(),
      operation: inMessage.info.bounced ? undefined : operationOf(inMessage.body),
      body: inMessage.body,
      succeeded: description.type === 'generic' && !description.aborted,
    },
  ]
}

function rawOf(address: Address | null): string | undefined {
  return address?.toRawString()
}
