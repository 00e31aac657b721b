import type { Granularity } from '../../charts/buckets.ts'
import type { UsageQuery } from './read-usage.ts'

/** What the reader asks a report for. */
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

/** What rows are told apart by. */
export type UsageGroup = 'node' | 'method' | 'credential'

/** All that rows can be told apart by. */
export const usageGroups: readonly UsageGroup[] = ['node', 'method', 'credential']

const dayMs = 86_400_000

/**
 * The report of the last thirty days.
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

/** A filter as the platform API takes it. */
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

/** Where the whole report is as CSV. */
export function exportAddress(filter: UsageFilter): string {
  const query = Object.entries(queryOf(filter)).map(([name, value]) => [name, String(value)])
  return `/v2/reporting/node-usage/export/?${new URLSearchParams(query).toString()}`
}
