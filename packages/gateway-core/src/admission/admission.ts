import type { Grant } from '../grants/grant.ts'
import type { SharedStore } from '../shared-store/types.ts'
import { rulesOf } from './access-rules.ts'
import type { CallCost } from '../usage/units.ts'
import type { Admission, Permit, Rejection } from './types.ts'
import type { Limit } from './limits/limit.ts'
import { type LimitDependencies, LimitTable, type LimitsOfGrant } from './limits/limits.ts'
import type { UsedSoFar } from './limits/quota.ts'
import { type LoadMonitor, monitorLoad } from './overload.ts'
import {
  type ConcurrencyClaim,
  type ConcurrencyOptions,
  ConcurrencyLimiter,
  type ConcurrencyStates,
} from './concurrency/limiter.ts'
import { RejectionCounts, type RejectionKind } from './rejection-counts.ts'
import { busy } from './rejections.ts'
import { countReplicas } from '../shared-store/replicas.ts'
import { guardedInterval } from '@fairlead/runtime'

/** Default limits of credentials, and limits for all calls together. */
export interface AdmissionLimits extends ConcurrencyOptions {
  /** Rate limit of credentials without their own; 0 = unlimited. */
  readonly requestsPerSecond: number
}

/** Dependencies and limits of the admission. */
export interface AdmissionOptions extends AdmissionLimits {
  /** Store for counters that all replicas share; without it, each replica counts on its own. */
  readonly store?: SharedStore | undefined
  /** Number of processes that share the limits when there is no store. */
  readonly processes?: number | undefined
  /** Reports the usage before this process started; none when omitted. */
  readonly usedSoFar?: UsedSoFar | undefined
  /** Whether a call is charged with the units of its cost; one unit each by default. */
  readonly isWeighted?: boolean | undefined
  /** Whether a credential is still valid; checked after a call has waited in the queue. */
  readonly isGrantValid?: ((grant: Grant) => boolean) | undefined
  readonly load?: LoadMonitor | undefined
}

/** The admission of one process. */
export interface BuiltinAdmission extends Admission {
  /** Applies new limits; calls that already wait keep their old limits. */
  change(limits: AdmissionLimits): void
  /** Rejections since the start, and queued calls. */
  states(): AdmissionStates
  /** Syncs unreported usage with the other replicas, and ends. */
  close(): Promise<void>
}

/** Counters since the start, and currently queued calls. */
export interface AdmissionStates {
  readonly rejections: Readonly<Record<RejectionKind, number>>
  readonly concurrency: ConcurrencyStates
}

/** The combined limits of a grant. */
interface Plan {
  readonly limits: LimitsOfGrant | undefined
  readonly claim: ConcurrencyClaim
}

const cleanupMs = 60_000
const noLimits: readonly Limit[] = []

/** Creates the admission of one process. */
export function createAdmission(options: AdmissionOptions): BuiltinAdmission {
  const {
    store,
    processes = 1,
    isWeighted = false,
    isGrantValid = () => true,
    load = monitorLoad(),
  } = options
  const replicas = countReplicas(store, processes)
  const limits = limitsIn(options)
  const limitDependencies: LimitDependencies = {
    shared: { store, replicas: replicas.count },
    usedSoFar: options.usedSoFar ?? (() => 0),
    limits,
  }
  const limitTable = new LimitTable(limitDependencies)
  const concurrency = new ConcurrencyLimiter(limits)
  const rejections = new RejectionCounts()
  let plans = new WeakMap<Grant, Plan>()
  const cleanup = guardedInterval(() => {
    limitTable.removeIdle(performance.now())
    concurrency.removeIdle()
    // The plans refer to the removed limits.
    plans = new WeakMap()
  }, cleanupMs).unref()

  const planOf = (grant: Grant): Plan => {
    const cachedPlan = plans.get(grant)
    if (cachedPlan) return cachedPlan
    const plan = { limits: limitTable.of(grant, performance.now()), claim: concurrency.claimOf(grant) }
    plans.set(grant, plan)
    return plan
  }

  const unitsOf = ({ units }: CallCost): number => (isWeighted ? units : 1)

  const charge = (plan: Plan, method: string, cost: CallCost): Rejection | undefined =>
    plan.limits && chargeAll(plan.limits.of(method), unitsOf(cost))

  const rejectionOf = (grant: Grant, method: string, { isExpensive }: CallCost): Rejection | undefined => {
    const rejection = rulesOf(grant)?.method(method)
    if (rejection) return rejection
    if (isExpensive && (load.isOverloaded || concurrency.isCrowdedFor(grant))) {
      return busy('The gateway is overloaded and rejects expensive calls. Try again later.')
    }
    return undefined
  }

  return {
    checkRequester: (grant, protocol, requester) => {
      if (!grant.protocols.includes(protocol)) {
        return rejections.count({ status: 404, reason: `This node does not offer ${protocol}.` })
      }
      return rejections.count(rulesOf(grant)?.requester(requester))
    },
    admit: (grant, method, cost, signal) => {
      const plan = planOf(grant)
      const rejection = rejections.count(rejectionOf(grant, method, cost) ?? charge(plan, method, cost))
      if (rejection) return rejection
      const outcome = concurrency.acquire(plan.claim, signal)
      const decision =
        outcome instanceof Promise ? recheckAfterQueue(outcome, () => isGrantValid(grant)) : outcome
      if (plan.limits === undefined || isPermit(decision)) return decision
      return refund(decision, plan.limits.of(method), unitsOf(cost))
    },
    admitStream: (grant, method, cost) =>
      rejections.count(rejectionOf(grant, method, cost) ?? charge(planOf(grant), method, cost)),
    push: (grant, messages) => {
      let rejection: Rejection | undefined
      for (const limit of planOf(grant).limits?.pushed ?? noLimits) {
        const ended = limit.push?.(messages)
        rejection ??= ended
      }
      return rejection
    },
    change: (next) => {
      Object.assign(limits, limitsIn(next))
      concurrency.change(limits)
      plans = new WeakMap()
    },
    states: () => ({ rejections: rejections.states(), concurrency: concurrency.states() }),
    close: async () => {
      clearInterval(cleanup)
      load.close()
      await limitTable.close()
      await replicas.close()
    },
  }
}

function limitsIn({
  requestsPerSecond,
  maxConcurrentCalls,
  maxTotalConcurrentCalls,
  maxQueuedCalls,
  queueMs,
}: AdmissionLimits): AdmissionLimits {
  return { requestsPerSecond, maxConcurrentCalls, maxTotalConcurrentCalls, maxQueuedCalls, queueMs }
}

/** Charges all limits, or none. */
function chargeAll(limits: readonly Limit[], units: number): Rejection | undefined {
  const now = performance.now()
  for (let at = 0; at < limits.length; at += 1) {
    const rejection = (limits[at] as Limit).take(units, now)
    if (!rejection) continue
    refundAll(limits.slice(0, at), units)
    return rejection
  }
  return undefined
}

function refundAll(limits: readonly Limit[], units: number): void {
  for (const limit of limits) limit.refund(units)
}

function isPermit(outcome: Permit | Rejection | Promise<Permit | Rejection>): outcome is Permit {
  return 'release' in outcome
}

const ended: Rejection = { status: 401, reason: 'Unauthorized: the credential was revoked or has expired.' }

/** Checks again that the credential is valid, as it may have been revoked while the call waited. */
async function recheckAfterQueue(
  outcome: Promise<Permit | Rejection>,
  isGrantValid: () => boolean,
): Promise<Permit | Rejection> {
  const decision = await outcome
  if ('status' in decision || isGrantValid()) return decision
  decision.release()
  return ended
}

/** Refunds the charge of a call that gets no concurrency slot. */
async function refund(
  outcome: Rejection | Promise<Permit | Rejection>,
  limits: readonly Limit[],
  units: number,
): Promise<Permit | Rejection> {
  const decision = await outcome
  if ('status' in decision) refundAll(limits, units)
  return decision
}
