import { setImmediate } from 'node:timers/promises'
import type { Address } from '@ton/core'
import type { ChainTransaction, JettonChain } from '../../../chain/jetton-chain.ts'
import { inOrder, type Rows } from '../page.ts'
import type { Sort } from '../parameters.ts'
import { isRead, messagesOf, type ChainMessage } from './chain-message.ts'

/** What says where messages are to be looked for. */
export interface MessagePlace {
  readonly hashes: readonly Buffer[]
  readonly source?: Address | undefined
  readonly destination?: Address | undefined
  /** False when a message from outside is wanted by no means. */
  readonly withExternals: boolean
}

/**
 * Walks through the messages at a place, and maybe others, as the indexer orders them: by the logical time at which they
 * were made, where those from outside, which have none, count as the latest.
 */
export function messagesAt(chain: JettonChain, place: MessagePlace, sort: Sort): Rows<ChainMessage> {
  const holders = holdersAt(chain, place)
  return holders === undefined ? allMessages(chain, place, sort) : messagesIn(holders, sort)
}

/** The transactions that bring the messages at a place into the lists; undefined when it may be any of them. */
function holdersAt(chain: JettonChain, place: MessagePlace): readonly ChainTransaction[] | undefined {
  const { hashes, source, destination } = place
  const takers = hashes.flatMap((hash) => chain.transactionByMessage(hash) ?? [])
  if (takers.length > 0 && takers.length === hashes.length) return takers.map(holderOf)
  if (source !== undefined) return chain.transactionsOf(source)
  if (destination !== undefined) return chain.transactionsOf(destination).map(holderOf)
  return undefined
}

function holderOf(taker: ChainTransaction): ChainTransaction {
  return taker.parent ?? taker
}

async function* messagesIn(holders: readonly ChainTransaction[], sort: Sort): AsyncGenerator<ChainMessage> {
  const found: ChainMessage[] = []
  for (const holder of new Set(holders)) found.push(...(await readInTurn(holder)))
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
  { withExternals }: MessagePlace,
  sort: Sort,
): AsyncGenerator<ChainMessage> {
  const transactions = inOrder(chain.transactions, sort)
  const firsts = withExternals ? transactions.filter(({ parent }) => parent === undefined) : []
  if (sort === 'asc') yield* messagesBetween(transactions, sort)
  for (const first of firsts) yield* (await readInTurn(first)).filter(isExternal)
  if (sort === 'desc') yield* messagesBetween(transactions, sort)
}

async function* messagesBetween(
  transactions: readonly ChainTransaction[],
  sort: Sort,
): AsyncGenerator<ChainMessage> {
  for (const transaction of transactions) {
    const messages = await readInTurn(transaction)
    yield* inOrder(messages, sort).filter((message) => !isExternal(message))
  }
}

function isExternal({ createdLt }: ChainMessage): boolean {
  return createdLt === undefined
}

/** Reads a transaction without keeping others from their turn. */
async function readInTurn(transaction: ChainTransaction): Promise<readonly ChainMessage[]> {
  if (!isRead(transaction)) await setImmediate()
  return messagesOf(transaction)
}
