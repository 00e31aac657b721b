import { unwrap } from '@fairlead/core'
import type { Client } from 'openapi-fetch'
import type { paths, ShortTxId } from '../generated/jetton-v2/types.ts'
import type { PageOptions } from './page-options.ts'

/** The block to read, and paging. */
export interface BlockTransactionsOptions extends PageOptions {
  readonly workchain: number
  /** Shard as a signed decimal number; `-9223372036854775808` is the whole workchain. */
  readonly shard: string
  readonly seqno: number
}

/**
 * Reads the ids of the transactions of a block, page by page.
 *
 * @param client - a client of family v2
 * @param options - the block, `pageSize` (1000, at most 10000) and `signal`
 * @returns account, logical time and hash of each transaction, in the order of the block: by account
 * @throws FairleadError `HTTP_STATUS`, `TRANSPORT_*`, `DECODE_INVALID`; the reason of the signal
 * @example
 * ```ts
 * const { last } = await jetton.call({ method: 'getMasterchainInfo' })
 * for await (const { account, lt } of blockTransactions(jetton, last)) console.log(account, lt)
 * ```
 * @see specs/jetton/v2.openapi.yaml, getBlockTransactions
 */
export async function* blockTransactions(
  client: Client<paths>,
  { workchain, shard, seqno, pageSize: count = 1_000, signal }: BlockTransactionsOptions,
): AsyncGenerator<ShortTxId, void, undefined> {
  const block = { workchain, shard, seqno, count }
  let after = {}
  for (;;) {
    const query = { ...block, ...after }
    const { result } = await unwrap(
      client.GET('/api/v2/getBlockTransactions', { params: { query }, ...(signal && { signal }) }),
    )
    for (const transaction of result.transactions) {
      signal?.throwIfAborted()
      yield transaction
    }
    const last = result.transactions.at(-1)
    if (last === undefined || !result.incomplete) return
    after = { after_lt: last.lt, after_hash: accountId(last.account) }
  }
}

/** The 32 bytes that identify an account in its workchain: in hex from a raw address, else in base64. */
function accountId(address: string): string {
  const [, hex] = address.split(':')
  if (hex !== undefined) return hex
  const bytes = atob(address.replaceAll('-', '+').replaceAll('_', '/'))
  // The flags and the workchain precede them, a checksum follows.
  return btoa(bytes.slice(2, 34))
}
