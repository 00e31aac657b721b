import { type CancellationSignal, guardedTimeout } from '@fairlead/http1'
import type { Grant } from '../../grants/grant.ts'
import type { Permit, Rejection } from '../types.ts'
import { busy } from '../rejections.ts'
import { WaitingQueue } from './queue.ts'

/** Limits for concurrent and queued calls. They may change. */
export interface ConcurrencyOptions {
  /** Concurrent calls per credential, for credentials without their own limit. */
  readonly maxConcurrentCalls: number
  /** Maximum number of queued calls of all credentials. */
  readonly maxQueuedCalls: number
  /** Maximum time that a call waits in the queue. */
  readonly queueMs: number
}

/** Counters since the start, and currently queued calls. */
export interface ConcurrencyStates {
  /** Number of calls that wait for a concurrency slot. */
  readonly waiting: number
  /** Number of calls that have waited. `waitedMs` is their total waiting time in milliseconds. */
  readonly waited: number
  readonly waitedMs: number
  /** Number of calls that were rejected because the queue was full. `late` counts those that waited too long. */
  readonly crowded: number
  readonly late: number
}

/** The concurrency slots of one owner. */
interface Room {
  readonly owner: string
  limit: number
  held: number
  /** Number of queued calls that need a slot of this owner. */
  waiting: number
  /**
   * Slots of a node or a project by the credential that holds them. It includes credentials that held slots recently.
   */
  readonly heldBy: Map<string, number> | undefined
}

/** The concurrency slots that a call of one grant needs, and the queue in which it waits for them. */
export interface ConcurrencyClaim {
  readonly credentialId: string
  readonly projectId: string
  readonly reservations: readonly Room[]
}

// Maximum share of the slots of a node or project for one credential, when other credentials use them as well.
const shareOfOne = 0.75

/** Limits the concurrent calls of all owners. */
export class ConcurrencyLimiter {
  readonly #options: ConcurrencyOptions
  readonly #reservations = new Map<string, Room>()
  readonly #lines = new Map<string, WaitingQueue<ConcurrencyClaim>>()
  #waiting = 0
  #waited = 0
  #waitedMs = 0
  #crowded = 0
  #late = 0

  constructor(options: ConcurrencyOptions) {
    this.#options = options
  }

  /** Whether the queue is so long that expensive calls are rejected. */
  get isCrowded(): boolean {
    return this.#waiting > this.#options.maxQueuedCalls / 2
  }

  /** Number of owners with state in memory. */
  get owners(): number {
    return this.#reservations.size
  }

  states(): ConcurrencyStates {
    return {
      waiting: this.#waiting,
      waited: this.#waited,
      waitedMs: this.#waitedMs,
      crowded: this.#crowded,
      late: this.#late,
    }
  }

  /** The concurrency slots that calls of a grant need. */
  claimOf({ credentialId, nodeId, projectId, limits = {} }: Grant): ConcurrencyClaim {
    const most = limits.credential?.maxConcurrentCalls ?? this.#options.maxConcurrentCalls
    const reservations = [this.#reservation(`credential:${credentialId}`, most, false)]
    const [ofNode, ofProject] = [limits.node?.maxConcurrentCalls, limits.project?.maxConcurrentCalls]
    if (ofNode !== undefined) reservations.push(this.#reservation(`node:${nodeId}`, ofNode, true))
    if (ofProject !== undefined) reservations.push(this.#reservation(`project:${projectId}`, ofProject, true))
    return { credentialId, projectId, reservations }
  }

  /** Acquires a concurrency slot, or waits for one until the timeout expires or the signal aborts. */
  take(
    claim: ConcurrencyClaim,
    signal: CancellationSignal,
  ): Permit | Rejection | Promise<Permit | Rejection> {
    const line = this.#lines.size === 0 ? undefined : this.#lines.get(claim.projectId)
    if (line?.has(claim.credentialId) !== true && isFree(claim)) return this.#hold(claim)
    if (this.#waiting >= this.#options.maxQueuedCalls) {
      this.#crowded += 1
      return busy('Too many calls wait for a place.')
    }
    return this.#wait(claim, signal)
  }

  /** Removes idle state. A caller that caches a claim must get it again. */
  forgetIdle(): void {
    for (const [owner, { held, heldBy, waiting }] of this.#reservations) {
      // A queued call refers to its state, and its credential counts among those that share the slots.
      if (waiting > 0) continue
      if (held === 0) this.#reservations.delete(owner)
      for (const [credentialId, count] of heldBy ?? []) if (count === 0) heldBy?.delete(credentialId)
    }
  }

  #reservation(owner: string, limit: number, isShared: boolean): Room {
    const known = this.#reservations.get(owner)
    if (known) {
      known.limit = limit
      return known
    }
    const reservation: Room = { owner, limit, held: 0, waiting: 0, heldBy: isShared ? new Map() : undefined }
    this.#reservations.set(owner, reservation)
    return reservation
  }

  #hold(claim: ConcurrencyClaim): Permit {
    for (const reservation of claim.reservations) change(reservation, claim.credentialId, 1)
    return new HeldPlace(claim, this.#leave)
  }

  readonly #leave = (claim: ConcurrencyClaim): void => {
    for (const reservation of claim.reservations) change(reservation, claim.credentialId, -1)
    if (this.#lines.size > 0) this.#next(claim.projectId)
  }

  #wait(claim: ConcurrencyClaim, signal: CancellationSignal): Promise<Permit | Rejection> {
    const line = this.#lines.get(claim.projectId) ?? new WaitingQueue<ConcurrencyClaim>()
    this.#lines.set(claim.projectId, line)
    // From now on its credential counts among those that share the slots.
    for (const reservation of claim.reservations) {
      change(reservation, claim.credentialId, 0)
      reservation.waiting += 1
    }
    const began = performance.now()
    return new Promise((resolve) => {
      const end = (answer: Permit | Rejection) => {
        this.#waiting -= 1
        for (const reservation of claim.reservations) reservation.waiting -= 1
        this.#waited += 1
        this.#waitedMs += performance.now() - began
        clearTimeout(deadline)
        signal.removeEventListener('abort', giveUp)
        resolve(answer)
      }
      const leave = line.join(claim.credentialId, { claim, go: () => end(this.#hold(claim)) })
      const giveUp = () => {
        leave()
        if (line.isEmpty) this.#lines.delete(claim.projectId)
        this.#late += 1
        end(busy('There was no place for the call in time.'))
      }
      const deadline = guardedTimeout(giveUp, this.#options.queueMs)
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting += 1
      if (signal.aborted) giveUp()
    })
  }

  /** Starts queued calls after a call of the same project has released its slots. */
  #next(projectId: string): void {
    const line = this.#lines.get(projectId)
    if (!line) return
    for (let next = line.next(isFree); next; next = line.next(isFree)) next.go()
    if (line.isEmpty) this.#lines.delete(projectId)
  }
}

class HeldPlace implements Permit {
  readonly #claim: ConcurrencyClaim
  readonly #leave: (claim: ConcurrencyClaim) => void
  #isHeld = true

  constructor(claim: ConcurrencyClaim, leave: (claim: ConcurrencyClaim) => void) {
    this.#claim = claim
    this.#leave = leave
  }

  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#leave(this.#claim)
  }
}

function isFree({ reservations, credentialId }: ConcurrencyClaim): boolean {
  return reservations.every(({ limit, held, heldBy }) => {
    if (held >= limit) return false
    if (heldBy === undefined) return true
    const own = heldBy.get(credentialId)
    const isAlone = heldBy.size === (own === undefined ? 0 : 1)
    return isAlone || (own ?? 0) < Math.max(1, Math.floor(limit * shareOfOne))
  })
}

function change(reservation: Room, credentialId: string, by: number): void {
  reservation.held += by
  reservation.heldBy?.set(credentialId, (reservation.heldBy.get(credentialId) ?? 0) + by)
}
