import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Granularity } from './buckets.ts'

/** A line or a row of bars. */
export interface Series {
  readonly label: string
  /** Name of the CSS variable of its color. */
  readonly color: string
  readonly kind: 'bars' | 'line'
  /** Null for missing values. */
  readonly values: readonly (number | null)[]
}

/** A drawing that resizes with its container. */
export interface Drawing {
  remove(): void
}

const compactNumber = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })

const hour = 3_600
const day = 24 * hour

// Possible distances of the marks of an axis, in seconds, and the format of their labels.
const marks: Readonly<Record<Granularity, readonly [distances: number[], format: Intl.DateTimeFormat]>> = {
  hour: [
    [hour, 3 * hour, 6 * hour, 12 * hour, day],
    new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }),
  ],
  day: [
    [day, 2 * day, 7 * day, 14 * day, 28 * day],
    new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  ],
  month: [
    [30 * day, 90 * day, 180 * day, 365 * day],
    new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' }),
  ],
}

/**
 * Draws series over time.
 *
 * @param container - an element with its own height
 * @param granularity - length of time of each value
 * @param times - of the values, in seconds of Unix time
 * @param series - with as many values as there are times
 */
export function draw(
  container: HTMLElement,
  granularity: Granularity,
  times: readonly number[],
  series: readonly Series[],
): Drawing {
  const styles = getComputedStyle(container)
  const color = (name: string) => resolveColor(container, styles.getPropertyValue(name))
  const axis = {
    stroke: color('--text-muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: `12px ${styles.fontFamily}`,
  }
  const [distances, format] = marks[granularity]
  const plot = new UPlot(
    {
      width: container.clientWidth,
      height: container.clientHeight,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      padding: [12, 16, 0, 0],
      tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
      axes: [
        {
          ...axis,
          grid: { show: false },
          space: 64,
          incrs: distances,
          values: (_, seconds) => seconds.map((second) => format.format(second * 1_000)),
        },
        { ...axis, size: 56, values: (_, values) => values.map((value) => compactNumber.format(value)) },
      ],
      scales: { y: { range: (_, __, max) => [0, Math.max(5, (max ?? 0) * 1.1)] } },
      series: [
        {},
        ...series.map(({ label, color: name, kind, values }) => {
          const stroke = color(name)
          const bars = UPlot.paths.bars?.({ size: [0.7, 40], radius: 0.15 })
          return kind === 'bars' && bars
            ? { label, stroke, fill: stroke, width: 0, points: { show: false }, paths: bars }
            : { label, stroke, width: 2, points: { show: false, filter: () => isolatedIndexes(values) } }
        }),
      ],
    },
    [[...times], ...series.map(({ values }) => [...values])],
    container,
  )
  const observer = new ResizeObserver(() =>
    plot.setSize({ width: container.clientWidth, height: container.clientHeight }),
  )
  observer.observe(container)
  return {
    remove() {
      observer.disconnect()
      plot.destroy()
    },
  }
}

// Indexes of values between two gaps: no line reaches them, so they get a point.
function isolatedIndexes(values: Series['values']): number[] {
  const isGap = (index: number) => (values[index] ?? null) === null
  return [...values.keys()].filter((index) => !isGap(index) && isGap(index - 1) && isGap(index + 1))
}

// A canvas does not support light-dark() and variables.
function resolveColor(container: HTMLElement, value: string): string {
  const probe = document.createElement('span')
  probe.style.color = value
  container.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
