import { unwrap } from '@fairlead/core'
import type { Client } from 'openapi-fetch'
import type { paths, Transaction } from '../generated/jetton-v2/types.ts'
import type { PageOptions } from './page-options.ts'

/** Which transactions of an account to read. */
export interface TransactionsOptions extends PageOptions {
  /** Address of the account in any form. */
  readonly address: string
  /** First transaction to yield: a `transaction_id` for example. The newest one when left out. */
  readonly from?: { readonly lt: string; readonly hash: string } | undefined
  /** Logical time to end before: that of the last transaction that is known, for example. */
  readonly to?: string | undefined
}

/**
 * Reads the transactions of an account from the newest to the first one, page by page.
 *
 * @param client - a client of family v2
 * @param options - `address`, `from`, `to`, `pageSize` (100, at most 999) and `signal`
 * @returns the transactions, newest first, each once; those that arrive meanwhile are not among them
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
  // A page that goes on begins with the last row of the one before.
  for (let known = 0; ; known = 1) {
    const limit = pageSize + known
    const query = {
      address,
      limit,
      ...(first && { lt: first.lt, hash: first.hash }),
      ...(to !== undefined && { to_lt: to }),
    }
    const { result } = await unwrap(
      client.GET('/api/v2/getTransactions', { params: { query }, ...(signal && { signal }) }),
    )
    for (const transaction of result.slice(known)) {
      signal?.throwIfAborted()
      yield transaction
    }
    const last = result.at(-1)
    if (last === undefined || result.length < limit) return
    first = last.transaction_id
  }
}
