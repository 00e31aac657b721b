import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../store/database.ts'

/** Filters, grouping, order and page of a usage report. */
export interface UsageQuery {
  readonly organizationId: string
  /** First hour, inclusive, ISO 8601. */
  readonly from: string
  /** End, exclusive, ISO 8601; open when omitted. */
  readonly to?: string | undefined
  readonly nodeIds?: readonly string[] | undefined
  readonly protocols?: readonly string[] | undefined
  readonly networks?: readonly string[] | undefined
  readonly granularity: 'hour' | 'day' | 'month'
  readonly groupBy: ReadonlySet<UsageGroup>
  readonly order: readonly UsageOrder[]
  readonly limit: number
  readonly offset: number
}

/** Dimensions that rows of a report can be grouped by, in addition to time and protocol. */
export type UsageGroup = 'node' | 'method' | 'credential'

/** A field to sort by. */
export interface UsageOrder {
  readonly field: 'datetime' | 'node_id'
  readonly descending: boolean
}

/** Sums of the counters. */
export interface UsageSums {
  readonly requests: number
  readonly failed_requests: number
  readonly request_units: number
  readonly bytes_in: number
  readonly bytes_out: number
  /** Number of requests with a recorded duration. */
  readonly timed_requests: number
  /** Total duration of those requests, in milliseconds. */
  readonly duration_ms: number
}

/** One row of a report. */
export interface UsageReportRow extends UsageSums {
  /** UTC, without fractional seconds. */
  readonly datetime: string
  readonly protocol: string
  readonly node_id: string | null
  readonly node_name: string | null
  readonly network: string | null
  readonly method: string | null
  readonly credential_id: string | null
}

/** One page of a report, with the count and totals of the whole report; all from one snapshot. */
export interface UsageReport {
  readonly count: number
  readonly totals: UsageSums
  readonly rows: readonly UsageReportRow[]
}

/** Reads one page of a usage report on an organization's nodes. */
export async function reportUsage(db: Kysely<Database>, query: UsageQuery): Promise<UsageReport> {
  const { limit, offset } = query
  const { rows } = await sql<PageRow>`
    with report as (${reportOf(query)}), page as (
      select report.*, row_number() over (order by ${orderOf(query.order)}) as place from report
      order by place limit ${limit} offset ${offset}
    ), total as (
      select
        count(*)::int as count,
        ${sql.join(sumNames.map((name) => sql`coalesce(sum(${sql.ref(name)}), 0) as ${sql.ref(name)}`))}
      from report
    )
    select
      total.count as total_count,
      ${sql.join(sumNames.map((name) => sql`cast(total.${sql.ref(name)} as float8) as ${sql.ref(`total_${name}`)}`))},
      ${shownColumns}
    from total left join page on true left join nodes as node on node.id = page.node_id
    order by page.place`.execute(db)
  const [first] = rows
  return {
    count: first?.total_count ?? 0,
    totals: {
      requests: first?.total_requests ?? 0,
      failed_requests: first?.total_failed_requests ?? 0,
      request_units: first?.total_request_units ?? 0,
      bytes_in: first?.total_bytes_in ?? 0,
      bytes_out: first?.total_bytes_out ?? 0,
      timed_requests: first?.total_timed_requests ?? 0,
      duration_ms: first?.total_duration_ms ?? 0,
    },
    rows: rows.flatMap((row) => (isRow(row) ? [toRow(row)] : [])),
  }
}

/**
 * Reads all rows of a report in batches. All rows come from one snapshot. The database materializes the result
 * (`with hold`), so that a slow reader holds no lock or transaction.
 *
 * @param session - one database session for the whole report
 * @param opened - called when the report is ready, before its rows are read
 */
export async function* streamReport(
  session: Kysely<Database>,
  query: Omit<UsageQuery, 'limit' | 'offset'>,
  opened: () => void,
): AsyncGenerator<readonly UsageReportRow[]> {
  const cursor = sql.ref(`report_${randomUUID().replaceAll('-', '')}`)
  await sql`
    declare ${cursor} no scroll cursor with hold for
    with report as (${reportOf(query)})
    select ${shownColumns} from report as page left join nodes as node on node.id = page.node_id
    order by ${orderOf(query.order)}`.execute(session)
  try {
    opened()
    for (;;) {
      const { rows } = await sql<UsageReportRow>`fetch ${sql.lit(batchRows)} from ${cursor}`.execute(session)
      if (rows.length === 0) return
      yield rows
      // The embedded database responds without a pause in which other requests could be handled.
      await setImmediate()
    }
  } finally {
    await sql`close ${cursor}`.execute(session)
  }
}

const batchRows = 100

const sumNames = [
  'requests',
  'failed_requests',
  'request_units',
  'bytes_in',
  'bytes_out',
  'timed_requests',
  'duration_ms',
] as const satisfies readonly (keyof UsageSums)[]

const shownColumns = sql`
  to_char(page.bucket, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as datetime, page.protocol, page.node_id,
  node.name as node_name, node.network, page.method, page.credential_id,
  ${sql.join(sumNames.map((name) => sql`cast(page.${sql.ref(name)} as float8) as ${sql.ref(name)}`))}`

type PageRow = (UsageReportRow | { readonly datetime: null }) & {
  readonly [name in keyof UsageSums as `total_${name}`]: number
} & { readonly total_count: number }

// A page beyond the last one has totals but no row.
function isRow(row: PageRow): row is PageRow & UsageReportRow {
  return row.datetime !== null
}

function toRow(row: UsageReportRow): UsageReportRow {
  const { datetime, protocol, node_id, node_name, network, method, credential_id } = row
  const { requests, failed_requests, request_units, bytes_in, bytes_out, timed_requests, duration_ms } = row
  const columns = { datetime, protocol, node_id, node_name, network, method, credential_id }
  const counts = { requests, failed_requests, request_units, bytes_in, bytes_out }
  return { ...columns, ...counts, timed_requests, duration_ms }
}

function reportOf({
  organizationId,
  from,
  to,
  granularity,
  groupBy,
  ...query
}: Omit<UsageQuery, 'limit' | 'offset'>) {
  const keyOf = (group: UsageGroup, column: string) =>
    groupBy.has(group) ? sql.ref(`used.${column}`) : sql`cast(null as text)`
  // Ranges of whole days use the daily sums, which have far fewer rows.
  const isOfDays = granularity !== 'hour' && isMidnight(from) && (to === undefined || isMidnight(to))
  const [table, time] = isOfDays ? (['usage_days', 'day'] as const) : (['usage_hours', 'hour'] as const)
  const at = sql.ref(`used.${time}`)
  const conditions = [
    sql`used.organization_id = ${organizationId}`,
    sql`${at} >= cast(${from} as timestamptz)`,
  ]
  if (to !== undefined) conditions.push(sql`${at} < cast(${to} as timestamptz)`)
  if (query.nodeIds) conditions.push(sql`used.node_id = any(${[...query.nodeIds]}::text[])`)
  if (query.protocols) conditions.push(sql`used.protocol = any(${[...query.protocols]}::text[])`)
  if (query.networks) {
    const nodes = sql`select id from nodes where network = any(${[...query.networks]}::text[])`
    conditions.push(sql`used.node_id in (${nodes})`)
  }
  return sql`
    select
      date_trunc(${granularity}, ${at} at time zone 'UTC') as bucket,
      used.protocol,
      ${keyOf('node', 'node_id')} as node_id,
      ${keyOf('method', 'method')} as method,
      ${keyOf('credential', 'credential_id')} as credential_id,
      sum(used.requests) as requests,
      coalesce(sum(used.requests) filter (where used.status_class >= 4), 0) as failed_requests,
      sum(used.units) as request_units,
      sum(used.bytes_in) as bytes_in,
      sum(used.bytes_out) as bytes_out,
      sum(used.timed_requests) as timed_requests,
      sum(used.duration_us) * 0.001 as duration_ms
    from ${sql.table(table)} as used
    where ${sql.join(conditions, sql` and `)}
    group by 1, 2, 3, 4, 5`
}

function isMidnight(time: string): boolean {
  return time.endsWith('T00:00:00.000Z')
}

function orderOf(order: readonly UsageOrder[]) {
  const columns = { datetime: sql`bucket`, node_id: sql.ref('node_id') }
  const orderTerms = order.map(
    ({ field, descending }) => sql`${columns[field]} ${descending ? sql`desc` : sql`asc`}`,
  )
  // A total order, so that pages neither overlap nor skip rows, whatever order the client requested.
  return sql.join([
    ...orderTerms,
    sql`bucket desc`,
    sql`node_id`,
    sql`protocol`,
    sql`method`,
    sql`credential_id`,
  ])
}
