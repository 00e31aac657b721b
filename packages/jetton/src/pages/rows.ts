import { unwrap } from '@fairlead/core'
import type { Client } from 'openapi-fetch'
import type { paths } from '../generated/jetton-v3/types.ts'
import { type SortKey, paginate } from './paginate.ts'
import type { PageOptions } from './page-options.ts'

type Query<path extends keyof paths> = paths[path] extends {
  get: { parameters: { query?: infer query } }
}
  ? NonNullable<query>
  : never

type ResponseBody<path extends keyof paths> = paths[path] extends {
  get: { responses: { 200: { content: { 'application/json': infer body } } } }
}
  ? body
  : never

/**
 * The field of a response with its rows, the field that identifies a row, and the fields of its order and its bounds.
 */
type ListOf<body> = {
  [list in keyof body & string]: body[list] extends (infer row)[]
    ? {
        readonly list: list
        readonly id: keyof row & string
        readonly lt?: keyof row & string
        readonly utime?: keyof row & string
      }
    : never
}[keyof body & string]

const lists = {
  // Its bounds and its order apply to the trace, whose actions are consecutive.
  '/api/v3/actions': { list: 'actions', id: 'action_id', lt: 'trace_end_lt', utime: 'trace_end_utime' },
  // It has bounds of the logical time too, but is ordered by time.
  '/api/v3/blocks': { list: 'blocks', id: 'root_hash', utime: 'gen_utime' },
  '/api/v3/dns/records': { list: 'records', id: 'domain' },
  '/api/v3/jetton/masters': { list: 'jetton_masters', id: 'address' },
  '/api/v3/jetton/transfers': {
    list: 'jetton_transfers',
    id: 'transaction_hash',
    lt: 'transaction_lt',
    utime: 'transaction_now',
  },
  '/api/v3/jetton/wallets': { list: 'jetton_wallets', id: 'address' },
  '/api/v3/messages': { list: 'messages', id: 'hash', lt: 'created_lt', utime: 'created_at' },
  '/api/v3/multisig/orders': { list: 'orders', id: 'address' },
  '/api/v3/multisig/wallets': { list: 'multisigs', id: 'address' },
  '/api/v3/nft/collections': { list: 'nft_collections', id: 'address' },
  '/api/v3/nft/items': { list: 'nft_items', id: 'address' },
  '/api/v3/nft/transfers': {
    list: 'nft_transfers',
    id: 'transaction_hash',
    lt: 'transaction_lt',
    utime: 'transaction_now',
  },
  '/api/v3/traces': { list: 'traces', id: 'trace_id', lt: 'end_lt', utime: 'end_utime' },
  '/api/v3/transactions': { list: 'transactions', id: 'hash', lt: 'lt', utime: 'now' },
  '/api/v3/transactionsByMasterchainBlock': { list: 'transactions', id: 'hash' },
  '/api/v3/transactionsByMessage': { list: 'transactions', id: 'hash' },
  '/api/v3/vesting': { list: 'vesting_contracts', id: 'address' },
} as const satisfies { readonly [path in keyof paths]?: ListOf<ResponseBody<path>> }

/** A path of family v3 that returns part of a list. */
export type ListPath = keyof typeof lists

/** A row of the list of a path. */
export type Row<path extends ListPath> = (typeof lists)[path]['list'] extends infer list extends
  keyof ResponseBody<path>
  ? ResponseBody<path>[list] extends (infer row)[]
    ? row
    : never
  : never

/** The parameters of a list: all parameters of its path except those of pages. */
export type RowsOptions<path extends ListPath> = Omit<Query<path>, 'limit' | 'offset'> & PageOptions

type AnyRow = Readonly<Record<string, unknown>>

/**
 * Reads a whole list of family v3, page by page.
 *
 * A list that is ordered by logical time or time is read in windows of it, and each row is yielded once, even if rows
 * are added during the iteration. With `sort: 'asc'` the added rows follow. Without it they precede the first row and
 * are not yielded, except rows of the second or logical time that is being read. Other lists are read by offset: no row
 * is yielded twice, but one that moves forward in the list may be skipped.
 *
 * @param client - a client of family v3
 * @param path - path of the list
 * @param options - parameters of the path, `pageSize` (100, at most 1000) and `signal`
 * @returns the rows in the order of the list
 * @throws FairleadError `HTTP_STATUS`, `TRANSPORT_*`, `DECODE_INVALID`; the reason of the signal
 * @example
 * ```ts
 * for await (const transfer of rows(jetton, '/api/v3/jetton/transfers', { jetton_master: master, sort: 'asc' })) {
 *   console.log(transfer.source, transfer.destination, transfer.amount)
 * }
 * ```
 * @see specs/jetton/v3.openapi.yaml
 */
export async function* rows<path extends ListPath>(
  client: Client<paths>,
  path: path,
  { pageSize = 100, signal, ...query }: RowsOptions<path>,
): AsyncGenerator<Row<path>, void, undefined> {
  const typedQuery: AnyRow = query
  for (const subQuery of splitQuery(path, typedQuery)) {
    yield* readList(client, path, { ...typedQuery, ...subQuery }, pageSize, signal) as AsyncGenerator<
      Row<path>
    >
  }
}

const bounds = ['start_lt', 'end_lt', 'start_utime', 'end_utime']

/** External messages have no creation time: they follow all others, and no window contains them. */
function splitQuery(path: ListPath, query: AnyRow): readonly AnyRow[] {
  const handledParameters = [...bounds, 'exclude_externals', 'only_externals']
  if (path !== '/api/v3/messages' || handledParameters.some((name) => query[name])) return [{}]
  const subQueries = [{ exclude_externals: true }, { only_externals: true }]
  return query['sort'] === 'asc' ? subQueries : subQueries.toReversed()
}

function readList(
  client: Client<paths>,
  path: ListPath,
  query: AnyRow,
  limit: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<AnyRow, void, undefined> {
  const { list, id, lt, utime }: ListOf<Record<string, AnyRow[]>> = lists[path]
  // With a time bound, the order by logical time is replaced by the order by time.
  const isByTime = !lt || query['start_utime'] !== undefined || query['end_utime'] !== undefined
  // With these parameters the indexer ignores the bounds.
  const isNamed = path === '/api/v3/actions' && (query['action_id'] ?? query['trace_id']) !== undefined
  const field = isNamed ? undefined : isByTime ? utime : lt
  const { sort = field && 'desc' } = query
  const bound = `${sort === 'asc' ? 'start' : 'end'}_${isByTime ? 'utime' : 'lt'}`
  return paginate(
    {
      id: (row) => row[id],
      key: (row) => (field ? (row[field] as SortKey | null) : undefined),
      async read({ key, offset }) {
        const page = { ...query, sort, limit, offset, ...(key !== undefined && { [bound]: key }) }
        // The types of `rows` ensure that paths and parameters match.
        const params = { query: page as object }
        const response = await unwrap(
          client.GET(path as '/api/v3/transactions', { params, ...(signal && { signal }) }),
        )
        return (response as unknown as Record<string, readonly AnyRow[]>)[list] ?? []
      },
    },
    limit,
    signal,
  )
}
