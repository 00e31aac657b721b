import type { Granularity } from '../../charts/buckets.ts'
import type { UsageQuery } from './read-usage.ts'

/** The filter of a usage report. */
export interface UsageFilter {
  /** Days, UTC. */
  readonly from: string
  readonly to: string
  readonly granularity: Granularity
  /** Empty for all nodes. */
  readonly nodeId: string
  /** Empty for all protocols. */
  readonly protocol: string
  readonly groups: readonly UsageGroup[]
}

/** A dimension by which rows are grouped. */
export type UsageGroup = 'node' | 'method' | 'credential'

/** All dimensions by which rows can be grouped. */
export const usageGroups: readonly UsageGroup[] = ['node', 'method', 'credential']

const dayMs = 86_400_000

/**
 * The filter of the last thirty days.
 *
 * @param now - in milliseconds of Unix time
 */
export function initialFilter(now: number): UsageFilter {
  return {
    from: dayOf(now - 29 * dayMs),
    to: dayOf(now),
    granularity: 'day',
    nodeId: '',
    protocol: '',
    groups: ['node'],
  }
}

/** The day of a time, UTC. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** Converts a filter to query parameters of the platform API. */
export function queryOf({ from, to, granularity, nodeId, protocol, groups }: UsageFilter): UsageQuery {
  return {
    date_from: from,
    date_to: to,
    granularity,
    ...(nodeId !== '' && { node_id: nodeId }),
    ...(protocol !== '' && { protocol }),
    group_by: (groups.length === 0 ? ['node'] : groups).join(','),
  }
}

/** The URL of the whole report as CSV. */
export function exportAddress(filter: UsageFilter): string {
  const query = Object.entries(queryOf(filter)).map(([name, value]) => [name, String(value)])
  return `/v2/reporting/node-usage/export/?${new URLSearchParams(query).toString()}`
}
