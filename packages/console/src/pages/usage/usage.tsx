import type { components } from '@fairlead/platform-client'
import { useState } from 'preact/hooks'
import { Card, EmptyState } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { usePaging } from '../../components/use-paging.ts'
import { useQuery } from '../../platform/use-query.ts'
import { latencyText, meanLatency } from './latency.ts'
import { readUsage, readUsagePage } from './read-usage.ts'
import { UsageCharts } from './usage-charts.tsx'
import { UsageFigures, byteText } from './usage-figures.tsx'
import { exportAddress, initialFilter, queryOf, type UsageFilter } from './usage-filter.ts'
import { UsageFilters } from './usage-filters.tsx'

type Row = components['schemas']['NodeUsage']

/** The usage of nodes. */
export function Usage() {
  const paging = usePaging('rows')
  const [filter, setFilter] = useState(() => initialFilter(Date.now()))
  return (
    <Page
      title="Usage"
      description="Updated within 10 seconds. Times are in UTC."
      actions={
        <a class="button" href={exportAddress(filter)} download="usage.csv">
          <Icon name="download" />
          Download CSV
        </a>
      }
    >
      <UsageFilters
        filter={filter}
        onChange={(next) => {
          paging.setPage(1)
          setFilter(next)
        }}
      />
      <Charts filter={filter} />
      <Rows filter={filter} paging={paging} />
    </Page>
  )
}

function Charts({ filter }: { readonly filter: UsageFilter }) {
  const usage = useQuery(async () => {
    const report = await readUsage({ ...queryOf(filter), group_by: 'node' })
    const { granularity } = filter
    const to = Math.min(Date.now(), Date.parse(filter.to) + 86_400_000)
    return { ...report, granularity, from: Date.parse(filter.from), to }
  }, [filter])
  return (
    <QueryView query={usage} lines={12}>
      {({ rows, totals, isTruncated, granularity, from, to }) => (
        <div class="stack">
          <UsageFigures totals={totals} />
          {isTruncated && (
            <p class="notice is-warn">The charts omit the end of this report. Choose a shorter time range.</p>
          )}
          <UsageCharts rows={rows} granularity={granularity} from={from} to={to} />
        </div>
      )}
    </QueryView>
  )
}

function Rows({
  filter,
  paging,
}: {
  readonly filter: UsageFilter
  readonly paging: ReturnType<typeof usePaging>
}) {
  const rows = useQuery(() => readUsagePage(queryOf(filter), paging.page), [filter, paging.page])
  return (
    <Card title="Report" flush>
      <QueryView query={rows} lines={8}>
        {(list) =>
          list.count === 0 ? (
            <EmptyState icon="usage" title="No requests in this time range">
              Choose another time range, or send a request to one of your nodes.
            </EmptyState>
          ) : (
            <DataTable
              caption="Usage"
              columns={columnsOf(filter)}
              rows={list.results}
              keyOf={(row) => keyOf(row)}
              paging={paging.of(list)}
            />
          )
        }
      </QueryView>
    </Card>
  )
}

function keyOf({ datetime, protocol, node_id: node, method, credential_id: credential }: Row): string {
  return [datetime, protocol, node, method, credential].join(' ')
}

const columns = {
  time: { label: 'Time', cell: ({ datetime }) => datetime.slice(0, 16).replace('T', ' ') },
  node: {
    label: 'Node',
    cell: ({ node_id: id, node_name: name }) =>
      id === null ? '' : name === null ? id : <a href={`/console/nodes/${id}`}>{name}</a>,
  },
  method: { label: 'Method', cell: ({ method }) => <span class="code break-anywhere">{method}</span> },
  credential: { label: 'Credential', cell: ({ credential_id: id }) => <span class="code">{id}</span> },
  protocol: { label: 'Protocol', cell: ({ protocol }) => protocol },
  requests: { label: 'Requests', kind: 'number', cell: ({ requests }) => requests.toLocaleString() },
  failed: { label: 'Failed', kind: 'number', cell: ({ failed_requests: failed }) => failed.toLocaleString() },
  latency: {
    label: 'Mean latency',
    kind: 'number',
    cell: ({ timed_requests: timed, duration_ms: duration }) => latencyText(meanLatency(timed, duration)),
  },
  units: { label: 'Units', kind: 'number', cell: ({ request_units: units }) => units.toLocaleString() },
  sent: { label: 'Data sent', kind: 'number', cell: ({ bytes_out: bytes }) => byteText(bytes) },
} as const satisfies Readonly<Record<string, Column<Row>>>

function columnsOf({ groups }: UsageFilter): readonly Column<Row>[] {
  const keyGroups = groups.length === 0 ? (['node'] as const) : groups
  return [
    columns.time,
    ...keyGroups.map((group) => columns[group]),
    columns.protocol,
    columns.requests,
    columns.failed,
    columns.latency,
    columns.units,
    columns.sent,
  ]
}
