import { unwrap } from '@fairlead/core'
import type { Client } from 'openapi-fetch'
import type { JettonBurn, paths } from '../generated/jetton-v3/types.ts'
import { paginate } from '../pages/paginate.ts'
import type { PageOptions } from '../pages/page-options.ts'

/** Filter, order and paging of the burns. */
export interface JettonBurnsOptions extends PageOptions {
  /** Address of the jetton, a master contract, in any form. */
  readonly address: string
  /** Default `desc`: newest first. */
  readonly sort?: 'asc' | 'desc' | undefined
  /** Earliest time in Unix seconds, inclusive. */
  readonly start_utime?: number | undefined
  /** Latest time in Unix seconds, inclusive. */
  readonly end_utime?: number | undefined
}

/**
 * Reads all burns of a jetton, page by page.
 *
 * @param client - a client of family v3
 * @param options - `address`, `sort`, `start_utime`, `end_utime`, `pageSize` (1000, at most 10000) and `signal`
 * @returns the burns in the order of their time, each once, even if burns are added during the iteration; with
 *   `sort: 'asc'` the added ones follow
 * @throws FairleadError `HTTP_STATUS`, `TRANSPORT_*`, `DECODE_INVALID`; the reason of the signal
 * @example
 * ```ts
 * let burned = 0n
 * for await (const { amount } of jettonBurns(jetton, { address: master })) burned += BigInt(amount)
 * ```
 * @see specs/jetton/v3.openapi.yaml, listJettonBurns
 */
export function jettonBurns(
  client: Client<paths>,
  {
    address,
    sort = 'desc',
    // With a time bound the order is by time. Without it, shards that are ahead of others disturb the order.
    start_utime = 0,
    end_utime,
    pageSize = 1_000,
    signal,
  }: JettonBurnsOptions,
): AsyncGenerator<JettonBurn, void, undefined> {
  const bound = sort === 'asc' ? 'start_utime' : 'end_utime'
  return paginate(
    {
      id: ({ transaction }) => transaction.hash,
      key: ({ transaction }) => transaction.time,
      async read({ key, offset }) {
        const query = {
          address,
          sort,
          start_utime,
          ...(end_utime !== undefined && { end_utime }),
          ...(key !== undefined && { [bound]: key }),
          limit: pageSize,
          offset,
        }
        const call = client.GET('/api/v3/jetton/burns', { params: { query }, ...(signal && { signal }) })
        return (await unwrap(call)).burns
      },
    },
    pageSize,
    signal,
  )
}
