import { setImmediate } from 'node:timers/promises'
import type { Address } from '@ton/core'
import type { ChainTransaction, JettonChain } from '../../../chain/jetton-chain.ts'
import { inOrder, type Rows } from '../page.ts'
import type { Sort } from '../parameters.ts'
import { isRead, messagesOf, type ChainMessage } from './chain-message.ts'

/** The filters that limit the search for messages. */
export interface MessageFilter {
  readonly hashes: readonly Buffer[]
  readonly source?: Address | undefined
  readonly destination?: Address | undefined
  /** False when the filters exclude every external message. */
  readonly withExternals: boolean
}

/**
 * Iterates over the messages that match the filters, and possibly others, in the order of the indexer: by creation
 * logical time, where external messages, which have none, count as the latest.
 */
export function messagesAt(chain: JettonChain, filter: MessageFilter, sort: Sort): Rows<ChainMessage> {
  const transactions = candidateTransactions(chain, filter)
  return transactions === undefined ? allMessages(chain, filter, sort) : messagesIn(transactions, sort)
}

/** Returns the transactions that add the matching messages to the lists; undefined when it may be any transaction. */
function candidateTransactions(
  chain: JettonChain,
  filter: MessageFilter,
): readonly ChainTransaction[] | undefined {
  const { hashes, source, destination } = filter
  const receivers = hashes.flatMap((hash) => chain.transactionByMessage(hash) ?? [])
  if (receivers.length > 0 && receivers.length === hashes.length) return receivers.map(transactionOf)
  if (source !== undefined) return chain.transactionsOf(source)
  if (destination !== undefined) return chain.transactionsOf(destination).map(transactionOf)
  return undefined
}

function transactionOf(receiver: ChainTransaction): ChainTransaction {
  return receiver.parent ?? receiver
}

async function* messagesIn(
  transactions: readonly ChainTransaction[],
  sort: Sort,
): AsyncGenerator<ChainMessage> {
  const found: ChainMessage[] = []
  for (const transaction of new Set(transactions)) found.push(...(await readMessages(transaction)))
  yield* inOrder(
    found.toSorted((left, right) => timeOf(left) - timeOf(right)),
    sort,
  )
}

function timeOf({ createdLt }: ChainMessage): number {
  return createdLt === undefined ? Number.MAX_VALUE : Number(createdLt)
}

async function* allMessages(
  chain: JettonChain,
  { withExternals }: MessageFilter,
  sort: Sort,
): AsyncGenerator<ChainMessage> {
  const transactions = inOrder(chain.transactions, sort)
  const firsts = withExternals ? transactions.filter(({ parent }) => parent === undefined) : []
  if (sort === 'asc') yield* messagesBetween(transactions, sort)
  for (const first of firsts) yield* (await readMessages(first)).filter(isExternal)
  if (sort === 'desc') yield* messagesBetween(transactions, sort)
}

async function* messagesBetween(
  transactions: readonly ChainTransaction[],
  sort: Sort,
): AsyncGenerator<ChainMessage> {
  for (const transaction of transactions) {
    const messages = await readMessages(transaction)
    yield* inOrder(messages, sort).filter((message) => !isExternal(message))
  }
}

function isExternal({ createdLt }: ChainMessage): boolean {
  return createdLt === undefined
}

/** Reads a transaction without blocking the event loop for other requests. */
async function readMessages(transaction: ChainTransaction): Promise<readonly ChainMessage[]> {
  if (!isRead(transaction)) await setImmediate()
  return messagesOf(transaction)
}
