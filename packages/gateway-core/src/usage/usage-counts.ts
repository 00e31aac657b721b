import type { Grant } from '../grants/grant.ts'
import type { Units } from './units.ts'

/** The usage of one credential in one hour, for one protocol, method and status class. */
export interface UsageRow {
  /** Start of the hour, in milliseconds since 1970. */
  readonly hour: number
  readonly organizationId: string
  readonly projectId: string
  readonly nodeId: string
  readonly credentialId: string
  readonly protocol: string
  readonly method: string
  /** First digit of the status. */
  readonly statusClass: number
  readonly requests: number
  readonly units: number
  readonly bytesIn: number
  readonly bytesOut: number
  /** Number of requests with a known duration. */
  readonly timedRequests: number
  /** Total duration of those requests, a whole number. */
  readonly durationMicroseconds: number
}

/** Counts of calls since the last {@link UsageCounts.drain}. */
export interface UsageCounts {
  /**
   * Counts a call, or several equal ones. An unsuccessful call costs no units.
   *
   * @param bytesIn - total of all counted calls, same as `bytesOut`
   * @param durationSeconds - duration of each call; omitted when it is not known
   */
  count(
    grant: Grant,
    protocol: string,
    method: string,
    status: number,
    bytesIn: number,
    bytesOut: number,
    durationSeconds?: number,
    times?: number,
  ): void
  /** Returns and resets the counts; later calls count towards the hour of this moment. */
  drain(): UsageRow[]
}

const hourMs = 3_600_000
const statusClasses = 6
const firstFailedStatus = 400

interface Cell {
  readonly unitsEach: number
  requests: number
  units: number
  bytesIn: number
  bytesOut: number
  timed: number
  seconds: number
}

interface OfCredential {
  readonly grant: Grant
  /** By method; each list is indexed by protocol and status class. */
  readonly cells: Map<string, (Cell | undefined)[]>
}

/**
 * Creates empty counts. Their size depends on the number of active credentials and on the methods of the contracts,
 * never on input of a caller.
 *
 * @param units - cost of a call
 * @param now - milliseconds since 1970
 */
export function createUsageCounts(units: Units, now: () => number = Date.now): UsageCounts {
  let byCredential = new Map<string, OfCredential>()
  const protocols: string[] = []
  const slots = new Map<string, number>()
  const slotOf = (protocol: string): number => {
    const existing = slots.get(protocol)
    if (existing !== undefined) return existing
    const slot = protocols.push(protocol) - 1
    slots.set(protocol, slot)
    return slot
  }
  let hour = hourOf(now())
  const cellOf = (grant: Grant, protocol: string, method: string, statusClass: number): Cell => {
    let counted = byCredential.get(grant.credentialId)
    if (counted === undefined) {
      counted = { grant, cells: new Map() }
      byCredential.set(grant.credentialId, counted)
    }
    let cells = counted.cells.get(method)
    if (cells === undefined) {
      cells = []
      counted.cells.set(method, cells)
    }
    const slot = slotOf(protocol) * statusClasses + statusClass
    return (cells[slot] ??= {
      unitsEach: statusClass * 100 < firstFailedStatus ? units(protocol, method) : 0,
      requests: 0,
      units: 0,
      bytesIn: 0,
      bytesOut: 0,
      timed: 0,
      seconds: 0,
    })
  }
  return {
    count(grant, protocol, method, status, bytesIn, bytesOut, durationSeconds, times = 1) {
      const cell = cellOf(grant, protocol, method, Math.min(statusClasses - 1, Math.trunc(status / 100)))
      cell.requests += times
      cell.units += cell.unitsEach * times
      cell.bytesIn += bytesIn
      cell.bytesOut += bytesOut
      if (durationSeconds === undefined) return
      cell.timed += times
      cell.seconds += durationSeconds * times
    },
    drain() {
      const snapshot = byCredential
      const ofHour = hour
      hour = hourOf(now())
      if (snapshot.size === 0) return []
      byCredential = new Map()
      return rowsOf(snapshot.values(), ofHour, protocols)
    },
  }
}

function rowsOf(counted: Iterable<OfCredential>, hour: number, protocols: readonly string[]): UsageRow[] {
  const rows: UsageRow[] = []
  for (const { grant, cells } of counted) {
    const { organizationId, projectId, nodeId, credentialId } = grant
    for (const [method, slots] of cells) {
      slots.forEach((cell, slot) => {
        const protocol = protocols[Math.trunc(slot / statusClasses)]
        if (cell === undefined || protocol === undefined) return
        const { requests, units, bytesIn, bytesOut, timed, seconds } = cell
        // Whole numbers, so that later sums do not depend on the order of addition.
        const times = { timedRequests: timed, durationMicroseconds: Math.round(seconds * 1_000_000) }
        const counts = { requests, units, bytesIn, bytesOut, ...times }
        const statusClass = slot % statusClasses
        const owner = { organizationId, projectId, nodeId, credentialId }
        rows.push({ hour, ...owner, protocol, method, statusClass, ...counts })
      })
    }
  }
  return rows
}

function hourOf(time: number): number {
  return time - (time % hourMs)
}
