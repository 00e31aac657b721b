import type { components } from '@fairlead/platform-client'
import { StateBadge } from '../../components/badge.tsx'
import { Card, EmptyState } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { bodyOf, platform } from '../../platform/client.ts'
import { useQuery } from '../../platform/use-query.ts'

type Health = components['schemas']['UpstreamHealth']

const columns: readonly Column<Health>[] = [
  { label: 'Protocol', cell: ({ protocol }) => protocol },
  { label: 'URL', cell: ({ address }) => <span class="code break-anywhere">{address}</span> },
  { label: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { label: 'Latest block', kind: 'number', cell: ({ head }) => head?.toLocaleString() ?? '' },
  { label: 'Lag', kind: 'number', cell: ({ lag }) => lag?.toLocaleString() ?? '' },
  {
    label: 'Latency',
    kind: 'number',
    cell: ({ latency_ms: latency }) => (latency === null ? '' : `${latency.toFixed(1)} ms`),
  },
  {
    label: 'Errors',
    kind: 'number',
    cell: ({ error_rate: rate }) => (rate === null ? '' : `${(rate * 100).toFixed(1)}%`),
  },
  { label: 'In use', cell: ({ in_use: inUse }) => (inUse ? 'yes' : 'no') },
]

/** The health of the upstreams of a node. */
export function Upstreams({ nodeId }: { readonly nodeId: string }) {
  const health = useQuery(
    () => bodyOf(platform.GET('/v2/nodes/{id}/upstreams/', { params: { path: { id: nodeId } } })),
    [nodeId],
  )
  return (
    <Card
      title="Upstreams"
      description="As seen by this gateway process."
      actions={
        <button type="button" class="button is-small" onClick={health.reload}>
          Refresh
        </button>
      }
      flush
    >
      <QueryView query={health} lines={3}>
        {({ results }) =>
          results.length === 0 ? (
            <EmptyState icon="node" title="No upstreams">
              Edit the node to add upstreams.
            </EmptyState>
          ) : (
            <DataTable
              caption="Upstreams of the node"
              columns={columns}
              rows={results}
              keyOf={({ protocol, address }) => `${protocol} ${address}`}
            />
          )
        }
      </QueryView>
    </Card>
  )
}
