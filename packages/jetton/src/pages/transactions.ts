import { unwrap } from '@fairlead/core'
import type { Client } from 'openapi-fetch'
import type { paths, Transaction } from '../generated/jetton-v2/types.ts'
import type { PageOptions } from './page-options.ts'

/** Account, range and paging of the transactions. */
export interface TransactionsOptions extends PageOptions {
  /** Address of the account in any form. */
  readonly address: string
  /** First transaction to yield: a `transaction_id` for example. Default: the latest one. */
  readonly from?: { readonly lt: string; readonly hash: string } | undefined
  /** Logical time at which to stop, exclusive: that of the last known transaction, for example. */
  readonly to?: string | undefined
}

/**
 * Reads the transactions of an account from the latest to the first one, page by page.
 *
 * @param client - a client of family v2
 * @param options - `address`, `from`, `to`, `pageSize` (100, at most 999) and `signal`
 * @returns the transactions, newest first, each once; those added during the iteration are not included
 * @throws FairleadError `HTTP_STATUS`, `TRANSPORT_*`, `DECODE_INVALID`; the reason of the signal
 * @example
 * ```ts
 * for await (const { transaction_id, in_msg } of transactions(jetton, { address, to: lastKnownLt })) {
 *   console.log(transaction_id.hash, in_msg?.value)
 * }
 * ```
 * @see specs/jetton/v2.openapi.yaml, getTransactions
 */
export async function* transactions(
  client: Client<paths>,
  { address, from, to, pageSize = 100, signal }: TransactionsOptions,
): AsyncGenerator<Transaction, void, undefined> {
  let first = from
  // A following page begins with the last row of the previous one.
  for (let overlap = 0; ; overlap = 1) {
    const limit = pageSize + overlap
    const query = {
      address,
      limit,
      ...(first && { lt: first.lt, hash: first.hash }),
      ...(to !== undefined && { to_lt: to }),
    }
    const { result } = await unwrap(
      client.GET('/api/v2/getTransactions', { params: { query }, ...(signal && { signal }) }),
    )
    for (const transaction of result.slice(overlap)) {
      signal?.throwIfAborted()
      yield transaction
    }
    const last = result.at(-1)
    if (last === undefined || result.length < limit) return
    first = last.transaction_id
  }
}
