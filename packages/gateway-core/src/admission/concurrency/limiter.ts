import { type CancellationSignal, guardedTimeout } from '@fairlead/runtime'
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
  /** Number of calls that were rejected because the queue was full. `timedOut` counts those that waited too long. */
  readonly queueFull: number
  readonly timedOut: number
}

/** The concurrency slots of one owner. */
interface SlotCounter {
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
  readonly counters: readonly SlotCounter[]
}

// Maximum share of the slots of a node or project for one credential, when other credentials use them as well.
const maxShareOfCredential = 0.75

/** Limits the concurrent calls of all owners. */
export class ConcurrencyLimiter {
  readonly #options: ConcurrencyOptions
  readonly #counters = new Map<string, SlotCounter>()
  readonly #queues = new Map<string, WaitingQueue<ConcurrencyClaim>>()
  #waiting = 0
  #waited = 0
  #waitedMs = 0
  #queueFull = 0
  #timedOut = 0

  constructor(options: ConcurrencyOptions) {
    this.#options = options
  }

  /** Whether the queue is so long that expensive calls are rejected. */
  get isCrowded(): boolean {
    return this.#waiting > this.#options.maxQueuedCalls / 2
  }

  /** Number of owners with state in memory. */
  get owners(): number {
    return this.#counters.size
  }

  states(): ConcurrencyStates {
    return {
      waiting: this.#waiting,
      waited: this.#waited,
      waitedMs: this.#waitedMs,
      queueFull: this.#queueFull,
      timedOut: this.#timedOut,
    }
  }

  /** The concurrency slots that calls of a grant need. */
  claimOf({ credentialId, nodeId, projectId, limits = {} }: Grant): ConcurrencyClaim {
    const maxCalls = limits.credential?.maxConcurrentCalls ?? this.#options.maxConcurrentCalls
    const counters = [this.#counter(`credential:${credentialId}`, maxCalls, false)]
    const [ofNode, ofProject] = [limits.node?.maxConcurrentCalls, limits.project?.maxConcurrentCalls]
    if (ofNode !== undefined) counters.push(this.#counter(`node:${nodeId}`, ofNode, true))
    if (ofProject !== undefined) counters.push(this.#counter(`project:${projectId}`, ofProject, true))
    return { credentialId, projectId, counters }
  }

  /** Acquires a concurrency slot, or waits for one until the timeout expires or the signal aborts. */
  acquire(
    claim: ConcurrencyClaim,
    signal: CancellationSignal,
  ): Permit | Rejection | Promise<Permit | Rejection> {
    const queue = this.#queues.size === 0 ? undefined : this.#queues.get(claim.projectId)
    if (queue?.has(claim.credentialId) !== true && isFree(claim)) return this.#hold(claim)
    if (this.#waiting >= this.#options.maxQueuedCalls) {
      this.#queueFull += 1
      return busy('The queue of calls is full. Try again later.')
    }
    return this.#wait(claim, signal)
  }

  /** Removes idle state. A caller that caches a claim must get it again. */
  removeIdle(): void {
    for (const [owner, { held, heldBy, waiting }] of this.#counters) {
      // A queued call refers to its state, and its credential counts among those that share the slots.
      if (waiting > 0) continue
      if (held === 0) this.#counters.delete(owner)
      for (const [credentialId, count] of heldBy ?? []) if (count === 0) heldBy?.delete(credentialId)
    }
  }

  #counter(owner: string, limit: number, isShared: boolean): SlotCounter {
    const existing = this.#counters.get(owner)
    if (existing) {
      existing.limit = limit
      return existing
    }
    const counter: SlotCounter = {
      owner,
      limit,
      held: 0,
      waiting: 0,
      heldBy: isShared ? new Map() : undefined,
    }
    this.#counters.set(owner, counter)
    return counter
  }

  #hold(claim: ConcurrencyClaim): Permit {
    for (const counter of claim.counters) change(counter, claim.credentialId, 1)
    return new HeldSlot(claim, this.#release)
  }

  readonly #release = (claim: ConcurrencyClaim): void => {
    for (const counter of claim.counters) change(counter, claim.credentialId, -1)
    if (this.#queues.size > 0) this.#next(claim.projectId)
  }

  #wait(claim: ConcurrencyClaim, signal: CancellationSignal): Promise<Permit | Rejection> {
    const queue = this.#queues.get(claim.projectId) ?? new WaitingQueue<ConcurrencyClaim>()
    this.#queues.set(claim.projectId, queue)
    // From now on its credential counts among those that share the slots.
    for (const counter of claim.counters) {
      change(counter, claim.credentialId, 0)
      counter.waiting += 1
    }
    const startedAt = performance.now()
    return new Promise((resolve) => {
      const end = (decision: Permit | Rejection) => {
        this.#waiting -= 1
        for (const counter of claim.counters) counter.waiting -= 1
        this.#waited += 1
        this.#waitedMs += performance.now() - startedAt
        clearTimeout(deadline)
        signal.removeEventListener('abort', onAbort)
        resolve(decision)
      }
      const dequeue = queue.enqueue(claim.credentialId, { claim, start: () => end(this.#hold(claim)) })
      const onAbort = () => {
        dequeue()
        if (queue.isEmpty) this.#queues.delete(claim.projectId)
        this.#timedOut += 1
        end(busy('The call waited too long for a concurrency slot. Try again later.'))
      }
      const deadline = guardedTimeout(onAbort, this.#options.queueMs)
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting += 1
      if (signal.aborted) onAbort()
    })
  }

  /** Starts queued calls after a call of the same project has released its slots. */
  #next(projectId: string): void {
    const queue = this.#queues.get(projectId)
    if (!queue) return
    for (let next = queue.next(isFree); next; next = queue.next(isFree)) next.start()
    if (queue.isEmpty) this.#queues.delete(projectId)
  }
}

class HeldSlot implements Permit {
  readonly #claim: ConcurrencyClaim
  readonly #release: (claim: ConcurrencyClaim) => void
  #isHeld = true

  constructor(claim: ConcurrencyClaim, dequeue: (claim: ConcurrencyClaim) => void) {
    this.#claim = claim
    this.#release = dequeue
  }

  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#release(this.#claim)
  }
}

function isFree({ counters, credentialId }: ConcurrencyClaim): boolean {
  return counters.every(({ limit, held, heldBy }) => {
    if (held >= limit) return false
    if (heldBy === undefined) return true
    const current = heldBy.get(credentialId)
    const isOnlyCredential = heldBy.size === (current === undefined ? 0 : 1)
    return isOnlyCredential || (current ?? 0) < Math.max(1, Math.floor(limit * maxShareOfCredential))
  })
}

function change(counter: SlotCounter, credentialId: string, by: number): void {
  counter.held += by
  counter.heldBy?.set(credentialId, (counter.heldBy.get(credentialId) ?? 0) + by)
}
