import { useMemo } from 'preact/hooks'
import { bucketsOf, type Granularity, type UsageRow } from '../../charts/buckets.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { meanLatency } from './latency.ts'

/** Requests and failures, latency, and units, over time. */
export function UsageCharts({
  rows,
  granularity,
  from,
  to,
}: {
  readonly rows: readonly UsageRow[]
  readonly granularity: Granularity
  /** In milliseconds of Unix time. */
  readonly from: number
  readonly to: number
}) {
  const { times, traffic, latency, units } = useMemo(() => {
    const buckets = bucketsOf(rows, granularity, from, to)
    return {
      times: buckets.map(({ at }) => at),
      traffic: [
        {
          label: 'Requests',
          color: '--accent',
          kind: 'bars' as const,
          values: buckets.map(({ requests }) => requests),
        },
        {
          label: 'Failed',
          color: '--bad',
          kind: 'bars' as const,
          values: buckets.map(({ failed }) => failed),
        },
      ],
      latency: [
        {
          label: 'Mean (ms)',
          color: '--accent',
          kind: 'line' as const,
          values: buckets.map(({ timed, duration }) => meanLatency(timed, duration)),
        },
      ],
      units: [
        {
          label: 'Units',
          color: '--accent',
          kind: 'line' as const,
          values: buckets.map((bucket) => bucket.units),
        },
      ],
    }
  }, [rows, granularity, from, to])
  return (
    <div class="charts">
      <TimeChart title="Requests" granularity={granularity} times={times} series={traffic} />
      <TimeChart title="Latency" granularity={granularity} times={times} series={latency} />
      <TimeChart title="Request units" granularity={granularity} times={times} series={units} />
    </div>
  )
}
