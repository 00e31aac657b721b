import type { Grant } from '../grants/grant.ts'
import type { Units } from './units.ts'

/** What one credential did in one hour, of one kind. */
export interface UsageRow {
  /** Beginning of the hour, in milliseconds since 1970. */
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
  /** How many of the requests say how long they took, */
  readonly timedRequests: number
  /** and how long those took together, a whole number. */
  readonly durationMicroseconds: number
}

/** Counts of calls since they were last taken. */
export interface UsageCounts {
  /**
   * Counts a call, or several that are alike. A call that was not answered with success costs no units.
   *
   * @param bytesIn - of all of them together, as `bytesOut`
   * @param durationSeconds - of each; left out where none says how long it took
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
  /** Takes what was counted; calls that come after it count towards the hour of this moment. */
  take(): UsageRow[]
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
  /** By method; in each list by protocol and status class. */
  readonly cells: Map<string, (Cell | undefined)[]>
}

/**
 * Makes empty counts. They grow with the credentials that call and with the methods of the contracts, never with what a
 * caller writes.
 *
 * @param units - what a call costs
 * @param now - milliseconds since 1970
 */
export function createUsageCounts(units: Units, now: () => number = Date.now): UsageCounts {
  let byCredential = new Map<string, OfCredential>()
  const protocols: string[] = []
  const slots = new Map<string, number>()
  const slotOf = (protocol: string): number => {
    const known = slots.get(protocol)
    if (known !== undefined) return known
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
    take() {
      const taken = byCredential
      const ofHour = hour
      hour = hourOf(now())
      if (taken.size === 0) return []
      byCredential = new Map()
      return rowsOf(taken.values(), ofHour, protocols)
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
        // Whole numbers: whoever adds them up later gets the same sum in any order.
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
