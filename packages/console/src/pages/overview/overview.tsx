import { useState } from 'preact/hooks'
import { Card } from '../../components/card.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { bodyOf, platform } from '../../platform/client.ts'
import { useMay, useSession } from '../../platform/session.tsx'
import { useQuery } from '../../platform/use-query.ts'
import { nodeColumns } from '../nodes/node-columns.tsx'
import { readUsage, readUsagePage } from '../usage/read-usage.ts'
import { UsageCharts } from '../usage/usage-charts.tsx'
import { UsageFigures } from '../usage/usage-figures.tsx'

const periods = [
  { label: 'Last 24 hours', hours: 24, granularity: 'hour' },
  { label: 'Last 7 days', hours: 7 * 24, granularity: 'day' },
  { label: 'Last 30 days', hours: 30 * 24, granularity: 'day' },
] as const

/** Current activity, and the next steps. */
export function Overview() {
  const { organization } = useSession()
  const maySeeUsage = useMay('usage:read')
  const maySeeNodes = useMay('nodes:read')
  const mayWrite = useMay('nodes:write')
  return (
    <Page title="Overview" description={organization.name}>
      {mayWrite && <FirstSteps />}
      {maySeeUsage && <Traffic />}
      {maySeeNodes && <LatestNodes />}
    </Page>
  )
}

function Traffic() {
  const [index, setIndex] = useState(0)
  const period = periods[index] ?? periods[0]
  const usage = useQuery(async () => {
    const to = Date.now()
    const from = to - period.hours * 3_600_000
    const { rows, totals } = await readUsage({
      date_from: new Date(from).toISOString(),
      granularity: period.granularity,
    })
    return { rows, totals, from, to, granularity: period.granularity }
  }, [index])
  return (
    <div class="stack">
      <div class="row is-spread">
        <div>
          <h2>Traffic</h2>
          <p class="muted small">Times are in UTC.</p>
        </div>
        <div class="row" role="group" aria-label="Period">
          {periods.map(({ label }, position) => (
            <button
              key={label}
              type="button"
              class={position === index ? 'button is-small is-primary' : 'button is-small'}
              aria-pressed={position === index}
              onClick={() => setIndex(position)}
            >
              {label}
            </button>
          ))}
        </div>
      </div>
      <QueryView query={usage} lines={16}>
        {({ rows, totals, from, to, granularity }) => (
          <div class="stack">
            <UsageFigures totals={totals} />
            <UsageCharts rows={rows} granularity={granularity} from={from} to={to} />
          </div>
        )}
      </QueryView>
    </div>
  )
}

/** Shown until a node was called in the last thirty days. */
function FirstSteps() {
  const state = useQuery(async () => {
    const query = { page_size: 1 }
    const from = new Date(Date.now() - 30 * 86_400_000).toISOString()
    const [projects, nodes, usage] = await Promise.all([
      bodyOf(platform.GET('/v2/projects/', { params: { query } })),
      bodyOf(platform.GET('/v2/nodes/', { params: { query } })),
      readUsagePage({ date_from: from, granularity: 'month' }, 1),
    ])
    return {
      projects: projects.count,
      nodes: nodes.count,
      firstNode: nodes.results[0],
      calls: usage.totals.requests,
    }
  }, [])
  const { data } = state
  if (!data || data.calls > 0) return null
  const steps = [
    {
      isDone: data.projects > 0,
      title: 'Create a project',
      text: 'Group the nodes of a product or an environment.',
      href: '/console/projects',
      action: 'Projects',
    },
    {
      isDone: data.nodes > 0,
      title: 'Create a node',
      text: 'Get URLs and a credential that work immediately.',
      href: '/console/nodes/new',
      action: 'New node',
    },
    {
      isDone: false,
      title: 'Send a request',
      text: 'Test the node in the playground.',
      href: `/console/playground${data.firstNode ? `?node=${data.firstNode.id}` : ''}`,
      action: 'Playground',
    },
  ]
  return (
    <Card title="Get started" flush>
      <ol class="steps">
        {steps.map(({ isDone, title, text, href, action }) => (
          <li key={title} class={isDone ? 'is-done' : undefined}>
            <div>
              <strong>{title}</strong>
              {isDone && <span class="for-screen-readers"> (done)</span>}
              <div class="muted small">{text}</div>
            </div>
            <a class="button is-small" href={href}>
              {action}
            </a>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function LatestNodes() {
  const nodes = useQuery(
    () =>
      bodyOf(platform.GET('/v2/nodes/', { params: { query: { order_by: '-created_at', page_size: 5 } } })),
    [],
  )
  if (nodes.data?.count === 0) return null
  return (
    <Card
      title="Recent nodes"
      flush
      actions={
        <a class="button is-quiet is-small" href="/console/nodes">
          View all
        </a>
      }
    >
      <QueryView query={nodes} lines={5}>
        {({ results }) => (
          <DataTable caption="Recent nodes" columns={nodeColumns} rows={results} keyOf={({ id }) => id} />
        )}
      </QueryView>
    </Card>
  )
}
