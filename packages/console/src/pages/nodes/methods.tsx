import type { components } from '@fairlead/platform-client'
import { useState } from 'preact/hooks'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Time } from '../../components/time.tsx'
import { SelectField, TextField } from '../../form/fields.tsx'
import { allPages } from '../../platform/all-pages.ts'
import { bodyOf, platform } from '../../platform/client.ts'
import { useQuery } from '../../platform/use-query.ts'

type NodeMethod = components['schemas']['NodeMethod']

// More than any chain has.
const maxPages = 10
const rowsPerPage = 50

const columns: readonly Column<NodeMethod>[] = [
  { label: 'Method', cell: ({ method }) => <span class="code break-anywhere">{method}</span> },
  { label: 'Transport', cell: ({ transport }) => transport },
  { label: 'Available', cell: ({ available, note }) => <Availability available={available} note={note} /> },
  { label: 'Units', kind: 'number', cell: ({ units }) => units },
  {
    label: 'Latency',
    kind: 'number',
    cell: ({ latency_ms: latency }) => (latency === null ? '' : `${latency} ms`),
  },
  { label: 'Last probed', cell: ({ probed_at: at }) => <Time at={at} /> },
]

function Availability({ available, note }: Pick<NodeMethod, 'available' | 'note'>) {
  const [tone, label] =
    available === null
      ? (['plain', 'unknown'] as const)
      : available
        ? (['good', 'available'] as const)
        : (['bad', 'not supported'] as const)
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {note !== '' && <span class="muted small"> {note}</span>}
    </>
  )
}

/** The methods that a node supports. */
export function Methods({ nodeId }: { readonly nodeId: string }) {
  const [searchText, setSearchText] = useState('')
  const [state, setState] = useState('')
  const [page, setPage] = useState(1)
  const methods = useQuery(
    () =>
      allPages((number) => {
        const params = { path: { id: nodeId }, query: { page: number } }
        return bodyOf(platform.GET('/v2/nodes/{id}/methods/', { params }))
      }, maxPages),
    [nodeId],
  )
  return (
    <Card title="Methods" description="Results of the last availability probe." flush>
      <div class="card-body">
        <div class="filters">
          <TextField
            name="word"
            label="Search"
            type="search"
            placeholder="eth_get"
            onInput={(value) => {
              setSearchText(value.trim().toLowerCase())
              setPage(1)
            }}
          />
          <SelectField
            name="available"
            label="Available"
            choices={[
              { value: '', label: 'All' },
              { value: 'true', label: 'Available' },
              { value: 'false', label: 'Not supported' },
              { value: 'null', label: 'Unknown' },
            ]}
            onChange={(value) => {
              setState(value)
              setPage(1)
            }}
          />
        </div>
      </div>
      <QueryView query={methods} lines={10}>
        {({ rows }) => {
          const matches = rows.filter(
            ({ method, available }) =>
              method.toLowerCase().includes(searchText) && (state === '' || String(available) === state),
          )
          const first = (page - 1) * rowsPerPage
          return (
            <DataTable
              caption="Methods of the node"
              columns={columns}
              rows={matches.slice(first, first + rowsPerPage)}
              keyOf={({ method, transport }) => `${method} ${transport}`}
              paging={{
                page,
                count: matches.length,
                hasNext: matches.length > first + rowsPerPage,
                unit: 'methods',
                onPageChange: setPage,
              }}
            />
          )
        }}
      </QueryView>
    </Card>
  )
}
