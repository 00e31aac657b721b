import {
  type CancellationSignal,
  FairQueue,
  FairShares,
  guardedTimeout,
  type OpenShare,
  type Share,
  type StartOutcome,
  type Tenant,
} from '@fairlead/runtime'
import type { Grant } from '../../grants/grant.ts'
import type { Permit, Rejection } from '../types.ts'
import { busy } from '../rejections.ts'
import { SharedSlotCounter, SlotCounter } from './slot-counter.ts'

/** Limits for concurrent and queued calls. */
export interface ConcurrencyOptions {
  /** Concurrent calls per credential, for credentials without their own limit. */
  readonly maxConcurrentCalls: number
  /** Maximum number of concurrent calls of all credentials, which organizations share. */
  readonly maxTotalConcurrentCalls: number
  /** Maximum number of queued calls of all credentials, which organizations share. */
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

/** The slots of a credential, and its share of the slots of all credentials. */
class CredentialSlots extends SlotCounter {
  readonly share: OpenShare

  constructor(owner: string, limit: number, share: OpenShare) {
    super(owner, limit)
    this.share = share
  }
}

/** The concurrency slots that a call of one grant needs. */
export interface ConcurrencyClaim {
  readonly tenant: Tenant
  readonly credential: CredentialSlots
  /** The slots of the node and the project, as far as they are limited. */
  readonly shared: readonly SharedSlotCounter[]
}

/** A queued call. */
interface Waiter {
  readonly claim: ConcurrencyClaim
  readonly start: () => void
}

// Number of concurrent and of queued calls that an owner may have although others have more.
const alwaysGranted = 16
const noCounters: readonly SharedSlotCounter[] = []

/** Limits the concurrent calls of all owners. */
export class ConcurrencyLimiter {
  #options: ConcurrencyOptions
  readonly #credentials = new Map<string, CredentialSlots>()
  readonly #shared = new Map<string, SharedSlotCounter>()
  readonly #calls: FairShares
  readonly #queueShares: FairShares
  readonly #queue = new FairQueue<Waiter>()
  /** Whether a queued call may wait for a slot of another project. */
  #isTotalReached = false
  #waited = 0
  #waitedMs = 0
  #queueFull = 0
  #timedOut = 0

  constructor(options: ConcurrencyOptions) {
    this.#options = options
    this.#calls = new FairShares({ capacity: options.maxTotalConcurrentCalls, alwaysGranted })
    this.#queueShares = new FairShares({ capacity: options.maxQueuedCalls, alwaysGranted })
  }

  /** Applies new limits, except to calls that already wait. Cached claims must be created again. */
  change(options: ConcurrencyOptions): void {
    this.#options = options
    this.#calls.capacity = options.maxTotalConcurrentCalls
    this.#queueShares.capacity = options.maxQueuedCalls
  }

  /** Whether the queue is so long, and an organization has so many calls in it, that its expensive calls are rejected. */
  isCrowdedFor(tenant: Tenant): boolean {
    const shares = this.#queueShares
    if (shares.used <= shares.capacity / 2) return false
    return !shares.canTake(tenant, shares.usedByOrganization(tenant))
  }

  /** Number of owners with state in memory. */
  get owners(): number {
    return this.#credentials.size + this.#shared.size
  }

  states(): ConcurrencyStates {
    return {
      waiting: this.#queue.size,
      waited: this.#waited,
      waitedMs: this.#waitedMs,
      queueFull: this.#queueFull,
      timedOut: this.#timedOut,
    }
  }

  /** The concurrency slots that calls of a grant need. */
  claimOf(grant: Grant): ConcurrencyClaim {
    const { credentialId, nodeId, projectId, limits = {} } = grant
    const credential = this.#credentialSlots(grant)
    credential.limit = limits.credential?.maxConcurrentCalls ?? this.#options.maxConcurrentCalls
    const shared: SharedSlotCounter[] = []
    const [ofNode, ofProject] = [limits.node?.maxConcurrentCalls, limits.project?.maxConcurrentCalls]
    if (ofNode !== undefined) shared.push(this.#sharedSlots(`node:${nodeId}`, ofNode))
    if (ofProject !== undefined) shared.push(this.#sharedSlots(`project:${projectId}`, ofProject))
    const { organizationId } = grant
    return {
      tenant: { organizationId, projectId, credentialId },
      credential,
      shared: shared.length === 0 ? noCounters : shared,
    }
  }

  /** Acquires a concurrency slot, or waits for one until the timeout expires or the signal aborts. */
  acquire(
    claim: ConcurrencyClaim,
    signal: CancellationSignal,
  ): Permit | Rejection | Promise<Permit | Rejection> {
    const isQueued = !this.#queue.isEmpty && this.#queue.has(claim.tenant)
    if (!isQueued && this.#hold(claim) === 'started') return new HeldSlot(claim, this.#release)
    const share = this.#queueShares.take(claim.tenant, 1)
    if (share !== undefined) return this.#wait(claim, share, signal)
    this.#queueFull += 1
    return busy(
      this.#queueShares.used < this.#queueShares.capacity
        ? 'The organization has too many calls in the queue. Try again later.'
        : 'The queue of calls is full. Try again later.',
    )
  }

  /** Removes idle state. A caller that caches a claim must get it again. */
  removeIdle(): void {
    for (const [owner, credential] of this.#credentials) {
      if (!credential.removeIdle()) continue
      credential.share.close()
      this.#credentials.delete(owner)
    }
    for (const [owner, counter] of this.#shared) if (counter.removeIdle()) this.#shared.delete(owner)
  }

  #credentialSlots(grant: Grant): CredentialSlots {
    const { credentialId } = grant
    const existing = this.#credentials.get(credentialId)
    if (existing) return existing
    const slots = new CredentialSlots(credentialId, 0, this.#calls.open(grant))
    this.#credentials.set(credentialId, slots)
    return slots
  }

  #sharedSlots(owner: string, limit: number): SharedSlotCounter {
    const counter = this.#shared.get(owner) ?? new SharedSlotCounter(owner, limit)
    counter.limit = limit
    this.#shared.set(owner, counter)
    return counter
  }

  /** Takes the slots of a claim, or returns the limit that it would exceed. */
  #hold({ tenant: { credentialId }, credential, shared }: ConcurrencyClaim): StartOutcome {
    if (credential.held >= credential.limit) return 'credential'
    for (const counter of shared) if (!counter.isFree(credentialId)) return 'credential'
    const exceeded = credential.share.take(1)
    if (exceeded !== undefined) {
      this.#isTotalReached = true
      return exceeded
    }
    credential.held += 1
    for (const counter of shared) counter.change(credentialId, 1)
    return 'started'
  }

  readonly #release = (claim: ConcurrencyClaim): void => {
    const { tenant, credential, shared } = claim
    credential.held -= 1
    credential.share.give(1)
    for (const counter of shared) counter.change(tenant.credentialId, -1)
    if (!this.#queue.isEmpty) this.#startQueued(tenant)
  }

  #wait(claim: ConcurrencyClaim, share: Share, signal: CancellationSignal): Promise<Permit | Rejection> {
    const { tenant, credential, shared } = claim
    credential.waiting += 1
    for (const counter of shared) {
      // From now on the credential counts among those that share the slots.
      counter.change(tenant.credentialId, 0)
      counter.waiting += 1
    }
    const startedAt = performance.now()
    return new Promise((resolve) => {
      const end = (decision: Permit | Rejection) => {
        this.#queueShares.give(share, 1)
        credential.waiting -= 1
        for (const counter of shared) counter.waiting -= 1
        this.#waited += 1
        this.#waitedMs += performance.now() - startedAt
        clearTimeout(deadline)
        signal.removeEventListener('abort', leave)
        resolve(decision)
      }
      const start = () => end(new HeldSlot(claim, this.#release))
      const queued = this.#queue.push(tenant, { claim, start })
      const leave = () => {
        queued.remove()
        end(busy('The call waited too long for a concurrency slot. Try again later.'))
      }
      const deadline = guardedTimeout(() => {
        this.#timedOut += 1
        leave()
      }, this.#options.queueMs)
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted) leave()
    })
  }

  /** Starts queued calls after a call of a tenant has released its slots. */
  #startQueued(tenant: Tenant): void {
    if (!this.#isTotalReached) return this.#queue.serveProject(tenant, this.#start)
    this.#isTotalReached = false
    this.#queue.serve(this.#start)
  }

  readonly #start = ({ claim, start }: Waiter): StartOutcome => {
    const outcome = this.#hold(claim)
    if (outcome === 'started') start()
    return outcome
  }
}

class HeldSlot implements Permit {
  readonly #claim: ConcurrencyClaim
  readonly #release: (claim: ConcurrencyClaim) => void
  #isHeld = true

  constructor(claim: ConcurrencyClaim, release: (claim: ConcurrencyClaim) => void) {
    this.#claim = claim
    this.#release = release
  }

  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#release(this.#claim)
  }
}
