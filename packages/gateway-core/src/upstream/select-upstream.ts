import type { UpstreamRole } from '../grants/parse-upstreams.ts'
import type { LatencyClass } from './latency.ts'
import { type PoolMember, upstreamClasses } from './pool-member.ts'

/** The requirements of a call for its upstream. */
export interface CallRequirements {
  readonly role: UpstreamRole
  /** Number of the block that the call refers to, if it names one. */
  readonly block?: number | undefined
  /** Number of blocks that the call queries, if it queries a range. */
  readonly blocks?: number | undefined
}

/** The criteria for selecting the upstream of a call. */
export interface SelectionCriteria {
  readonly method: string
  readonly needs: CallRequirements
  readonly latencyClass: LatencyClass
  /** Number of a block that the upstream should have. */
  readonly minBlock?: number | undefined
}

// An upstream whose load exceeds that of another one by this factor is skipped.
const significantFactor = 2
const insignificantMs = 5

/**
 * Selects the upstream for a call. It considers the upstreams that meet the requirements, of these the healthiest, of these
 * one below its rate limit, of these one that accepts the range of blocks, and of these the next by weighted
 * round-robin, unless another one would respond much sooner.
 *
 * @param members - the upstreams that may be called; each of them is in use
 * @returns undefined when there is none
 */
export function selectUpstream<member extends PoolMember>(
  members: readonly member[],
  choice: SelectionCriteria,
): member | undefined {
  if (members.length <= 1) return members[0]
  return soonest(acceptingRange(candidatesFor(members, choice), choice), choice.latencyClass)
}

/**
 * Returns the maximum number of blocks in a query to the upstreams from which {@link selectUpstream} selects.
 *
 * @returns undefined when one of them has no known limit
 */
export function highestRangeLimit(
  members: readonly PoolMember[],
  choice: SelectionCriteria,
): number | undefined {
  const limits = candidatesFor(members, choice).map((member) => limitOf(member, choice))
  const highest = Math.max(0, ...limits)
  return highest === Infinity || limits.length === 0 ? undefined : highest
}

/** The healthiest upstreams that meet the requirements and can be called at once, or the one that can be soonest. */
function candidatesFor<member extends PoolMember>(
  members: readonly member[],
  choice: SelectionCriteria,
): readonly member[] {
  const minBlock = Math.max(choice.minBlock ?? -1, choice.needs.block ?? -1)
  let candidates: member[] = []
  let minFaults = Infinity
  for (const member of members) {
    const faults = faultsOf(member, choice, minBlock)
    if (faults > minFaults) continue
    if (faults < minFaults) candidates = []
    minFaults = faults
    candidates.push(member)
  }
  const withCapacity = candidates.filter((member) => waitMs(member) === 0)
  if (withCapacity.length > 0 || candidates.length === 0) return withCapacity
  return [candidates.reduce((best, member) => (waitMs(member) < waitMs(best) ? member : best))]
}

function acceptingRange<member extends PoolMember>(
  members: readonly member[],
  choice: SelectionCriteria,
): readonly member[] {
  const { blocks } = choice.needs
  if (blocks === undefined) return members
  const accepting = members.filter((member) => limitOf(member, choice) >= blocks)
  return accepting.length > 0 ? accepting : members
}

function limitOf({ upstream }: PoolMember, { method }: SelectionCriteria): number {
  return upstream.rangeLimitOf(method) ?? Infinity
}

/**
 * Selects the upstream for a call in a pool where calls stay at one upstream. It selects the healthiest one below its
 * rate limit. Of equals, it selects the current one, or else the first. Otherwise, a client that has read a chain head
 * from one upstream could read an older one from the next.
 *
 * @param members - the upstreams that may be called, in the order of the configuration
 * @param current - the current upstream
 * @returns undefined when there is none
 */
export function selectSticky<member extends PoolMember>(
  members: readonly member[],
  current: member | undefined,
): member | undefined {
  let best: member | undefined
  let minFaults = Infinity
  for (const member of members) {
    const isFull = waitMs(member) > 0 ? 1 : 0
    const faults = (upstreamClasses.indexOf(member.class) * 2 + isFull) * 2 + (member === current ? 0 : 1)
    if (faults >= minFaults) continue
    minFaults = faults
    best = member
  }
  return best
}

/** The faults of an upstream as one number: each fault outweighs all later ones. */
function faultsOf(member: PoolMember, { method, needs }: SelectionCriteria, minBlock: number): number {
  const lacksRole = member.serves(needs.role) ? 0 : 1
  const lacksMethod = member.upstream.isMethodMissing(method) ? 1 : 0
  const health = upstreamClasses.indexOf(member.class)
  const lacksBlock = minBlock < 0 || (member.head ?? -1) >= minBlock ? 0 : 1
  return ((lacksRole * 2 + lacksMethod) * upstreamClasses.length + health) * 2 + lacksBlock
}

function waitMs({ upstream }: PoolMember): number {
  return upstream.rate.waitMs
}

function soonest<member extends PoolMember>(
  members: readonly member[],
  latencyClass: LatencyClass,
): member | undefined {
  const next = nextByWeight(members)
  return members.reduce(
    (best, member) =>
      best && loadOf(member, latencyClass) * significantFactor < loadOf(best, latencyClass) ? member : best,
    next,
  )
}

/** Smooth weighted round-robin, as in nginx: for `a` with weight 2 and `b` with weight 1, the order is `a b a`. */
function nextByWeight<member extends PoolMember>(members: readonly member[]): member | undefined {
  let next: member | undefined
  let sum = 0
  for (const member of members) {
    member.currentWeight += member.record.weight
    sum += member.record.weight
    if (!next || member.currentWeight > next.currentWeight) next = member
  }
  if (next) next.currentWeight -= sum
  return next
}

// An upstream with twice the weight is expected to handle twice the calls. A difference of a few milliseconds is
// insignificant.
function loadOf({ upstream, record }: PoolMember, latencyClass: LatencyClass): number {
  return (
    ((upstream.latency[latencyClass].mean ?? 0) + insignificantMs) *
    (upstream.callsInFlight / record.weight + 1)
  )
}
