import type { Address } from '@ton/core'
import type { ChainTransaction, JettonChain, Trace } from '../../../chain/jetton-chain.ts'
import { Failure } from '../../failure.ts'
import { inOrder } from '../page.ts'
import type { Sort } from '../parameters.ts'

/** The search criteria for traces; empty lists mean no filter. */
export interface TraceFilter {
  readonly account: Address | undefined
  readonly trace_id: readonly Buffer[]
  readonly tx_hash: readonly Buffer[]
  readonly msg_hash: readonly Buffer[]
}

/**
 * Rejects a request that uses two ways to look up traces.
 *
 * @throws Failure with 422
 */
export function requireOneFilter({ account, trace_id, tx_hash, msg_hash }: TraceFilter): void {
  const filters = [account !== undefined, trace_id.length > 0, tx_hash.length > 0, msg_hash.length > 0]
  if (filters.filter(Boolean).length > 1) {
    throw new Failure(422, 'only one of account, trace_id, tx_hash, msg_hash should be specified')
  }
}

/** Finds traces, ordered by their ends. */
export function tracesBy(chain: JettonChain, filter: TraceFilter, sort: Sort): Iterable<Trace> {
  const { account, trace_id, tx_hash, msg_hash } = filter
  if (account !== undefined) return tracesOf(chain.transactionsOf(account), sort)
  if (trace_id.length > 0) {
    const found = trace_id.flatMap((id) => chain.trace(id)?.transactions ?? [])
    return tracesOf(ordered(found), sort)
  }
  if (tx_hash.length > 0)
    return tracesOf(ordered(tx_hash.flatMap((hash) => chain.transaction(hash) ?? [])), sort)
  if (msg_hash.length > 0) {
    return tracesOf(ordered(msg_hash.flatMap((hash) => chain.transactionByMessage(hash) ?? [])), sort)
  }
  return tracesOf(chain.transactions, sort)
}

/** Iterates over the traces of some transactions, without duplicates. */
function* tracesOf(oldestFirst: readonly ChainTransaction[], sort: Sort): Generator<Trace> {
  const seen = new Set<Trace>()
  for (const { trace } of inOrder(oldestFirst, sort)) {
    if (seen.has(trace)) continue
    seen.add(trace)
    yield trace
  }
}

function ordered(transactions: readonly ChainTransaction[]): readonly ChainTransaction[] {
  return transactions.toSorted((left, right) => Number(left.lt - right.lt))
}
