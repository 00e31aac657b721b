import type { components } from '@fairlead/platform-client'
import { latencyText, meanLatency } from './latency.ts'

const bytes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB']

/** Formats a number of bytes in a suitable unit. */
export function byteText(amount: number): string {
  const power = Math.min(byteUnits.length - 1, amount < 1 ? 0 : Math.floor(Math.log10(amount) / 3))
  return `${bytes.format(amount / 1_000 ** power)} ${byteUnits[power]}`
}

/** The sums of a report. */
export function UsageFigures({ totals }: { readonly totals: components['schemas']['NodeUsageTotals'] }) {
  const { requests, failed_requests: failed, request_units: units } = totals
  const share = requests === 0 ? 0 : (100 * failed) / requests
  const figures = [
    ['Requests', requests.toLocaleString()],
    ['Failed', `${failed.toLocaleString()} (${share.toFixed(1)}%)`],
    ['Mean latency', latencyText(meanLatency(totals.timed_requests, totals.duration_ms))],
    ['Request units', units.toLocaleString()],
    ['Data sent', byteText(totals.bytes_out)],
  ] as const
  return (
    <dl class="figures">
      {figures.map(([label, value]) => (
        <div key={label} class="card figure">
          <dt class="figure-label">{label}</dt>
          <dd class="figure-value">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
