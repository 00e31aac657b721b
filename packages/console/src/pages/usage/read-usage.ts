import type { components, paths } from '@fairlead/platform-client'
import { bodyOf, platform } from '../../platform/client.ts'

/** The query parameters of a usage report. */
export type UsageQuery = NonNullable<paths['/v2/reporting/node-usage/']['get']['parameters']['query']>

/** A report: its rows, up to the number that a chart can show, and the sums of all of them. */
export interface Usage {
  readonly rows: readonly components['schemas']['NodeUsage'][]
  readonly totals: components['schemas']['NodeUsageTotals']
  /** Whether there are more rows than were read. */
  readonly isTruncated: boolean
}

// Reports have their own rate limit.
const maxPages = 10

/**
 * Loads a report for a chart.
 *
 * @throws Problem when it cannot be loaded
 */
export async function readUsage(query: UsageQuery): Promise<Usage> {
  const first = await readUsagePage(query, 1)
  const rows = [...first.results]
  let { next } = first
  for (let page = 2; next !== null && page <= maxPages; page += 1) {
    const list = await readUsagePage(query, page)
    rows.push(...list.results)
    next = list.next
  }
  return { rows, totals: first.totals, isTruncated: next !== null }
}

/** Loads one page of a report. */
export function readUsagePage(
  query: UsageQuery,
  page: number,
): Promise<components['schemas']['NodeUsagePage']> {
  return bodyOf(platform.GET('/v2/reporting/node-usage/', { params: { query: { ...query, page } } }))
}
