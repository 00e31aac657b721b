import type { Kysely } from 'kysely'
import { startOf } from '@fairlead/gateway-core/usage/current-usage'
import { type UsageGroup, type UsageOrder, type UsageQuery, reportUsage } from '../../records/usage-report.ts'
import type { Database } from '../../store/database.ts'
import { exportUsage } from '../../usage-export/export-usage.ts'
import { createResponse } from '../operation-response.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers, PlatformCall, Query, Success } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'
import { readPeriod } from '../read-period.ts'

const hourMs = 3_600_000

/** The operations on the usage of nodes. */
export function usageOperations({
  db,
  withSession,
}: Pick<OperationContext, 'db' | 'withSession'>): Pick<Handlers, 'listNodeUsage' | 'exportNodeUsage'> {
  // Organizations whose exports are in progress.
  const exporting: string[] = []
  return {
    listNodeUsage: (call) => nodeUsage(db, call),

    async exportNodeUsage({ identity, query }) {
      // Each export holds a database connection until the client has read it.
      const { organizationId } = identity
      const report = { organizationId, ...reportQueryOf(query, Date.now()) }
      const running = exporting.filter((id) => id === organizationId).length
      if (running >= maxPerOrganization || exporting.length >= maxExports)
        throw new PlatformError('throttled')
      exporting.push(organizationId)
      const csv = await exportUsage(withSession, report, () =>
        exporting.splice(exporting.indexOf(organizationId), 1),
      )
      return createResponse(csv, {
        headers: {
          'content-type': 'text/csv; charset=utf-8; header=present',
          'content-disposition': 'attachment; filename="node-usage.csv"',
        },
      })
    },
  }
}

// Equals the number of connections in the store's session pool. One organization never uses all of them; its next
// export may start before the previous one has released its connection.
const maxExports = 4
const maxPerOrganization = 2

/** Handles a request for a usage report. */
export async function nodeUsage(
  db: Kysely<Database>,
  { identity, query, links }: Pick<PlatformCall<'listNodeUsage'>, 'identity' | 'query' | 'links'>,
  now = Date.now(),
): Promise<Success<'listNodeUsage'>> {
  const { count, totals, rows } = await reportUsage(db, {
    organizationId: identity.organizationId,
    ...reportQueryOf(query, now),
    ...rangeOf(query),
  })
  return {
    ...envelope(count, query, links),
    results: rows as Success<'listNodeUsage'>['results'],
    totals,
  }
}

type ReportQuery = Query<'exportNodeUsage'>

function reportQueryOf(
  query: ReportQuery,
  now: number,
): Omit<UsageQuery, 'organizationId' | 'limit' | 'offset'> {
  return {
    ...timeOf(query, now),
    nodeIds: query.node_id?.split(','),
    protocols: query.protocol?.split(','),
    networks: query.network?.split(','),
    granularity: query.granularity,
    groupBy: new Set(query.group_by.split(',').filter(isGroup)),
    order: query.ordering.split(',').map(orderOf),
  }
}

function timeOf(query: ReportQuery, now: number): Pick<UsageQuery, 'from' | 'to'> {
  const { date_from = textOf(startOf('month', now)), date_to } = query
  const { from = date_from, to } = readPeriod({ date_from, date_to })
  return { from: startOfHour(from), to: to === undefined ? undefined : startOfHour(to) }
}

function startOfHour(time: string): string {
  return textOf(Math.floor(Date.parse(time) / hourMs) * hourMs)
}

function textOf(time: number): string {
  return new Date(time).toISOString()
}

const groups: ReadonlySet<string> = new Set<UsageGroup>(['node', 'method', 'credential'])

function isGroup(text: string): text is UsageGroup {
  return groups.has(text)
}

function orderOf(text: string): UsageOrder {
  const descending = text.startsWith('-')
  return { field: text.endsWith('node_id') ? 'node_id' : 'datetime', descending }
}
