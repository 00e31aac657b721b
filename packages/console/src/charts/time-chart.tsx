import { useEffect, useRef } from 'preact/hooks'
import { Card } from '../components/card.tsx'
import { DataTable } from '../components/data-table.tsx'
import { themeChange } from '../shell/theme.ts'
import type { Granularity } from './buckets.ts'
import type { Drawing, Series } from './draw.ts'

interface Point {
  readonly time: string
  readonly values: readonly (number | null)[]
}

const formats: Readonly<Record<Granularity, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
  day: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'long', timeZone: 'UTC' }),
}

/** Series over time, as a drawing and as a table. */
export function TimeChart({
  title,
  granularity,
  times,
  series,
}: {
  readonly title: string
  readonly granularity: Granularity
  /** In milliseconds of Unix time. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
}) {
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let drawing: Drawing | undefined
    let isMounted = true
    const redraw = async () => {
      // The library is loaded when a chart is first shown.
      const { draw } = await import('./draw.ts')
      if (!isMounted || !container.current) return
      drawing?.remove()
      drawing = draw(
        container.current,
        granularity,
        times.map((time) => time / 1_000),
        series,
      )
    }
    const onChange = () => void redraw()
    const device = matchMedia('(prefers-color-scheme: dark)')
    onChange()
    window.addEventListener(themeChange, onChange)
    device.addEventListener('change', onChange)
    return () => {
      isMounted = false
      window.removeEventListener(themeChange, onChange)
      device.removeEventListener('change', onChange)
      drawing?.remove()
    }
  }, [granularity, times, series])
  const rows = times.map((time, index) => ({
    time: formats[granularity].format(time),
    values: series.map(({ values }) => values[index] ?? null),
  }))
  return (
    <Card
      title={title}
      flush
      actions={
        <div class="chart-legend" aria-hidden="true">
          {series.map(({ label, color }) => (
            <span key={label}>
              <svg viewBox="0 0 10 10">
                <rect width="10" height="10" rx="3" fill={`var(${color})`} />
              </svg>
              {label}
            </span>
          ))}
        </div>
      }
    >
      <div
        ref={container}
        class="chart"
        role="img"
        aria-label={`${title} chart. The values are in the table below.`}
      />
      <details class="chart-data">
        <summary>Show as table</summary>
        <DataTable<Point>
          caption={title}
          columns={[
            { label: 'Time', cell: ({ time }) => time },
            ...series.map(({ label }, index) => ({
              label,
              kind: 'number' as const,
              cell: ({ values }: Point) => values[index]?.toLocaleString(),
            })),
          ]}
          rows={rows}
          keyOf={({ time }) => time}
        />
      </details>
    </Card>
  )
}
