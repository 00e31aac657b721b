import type { UpstreamRole } from '../grants/parse-upstreams.ts'
import { type PoolMember, upstreamClasses } from './pool-member.ts'

/** What the upstream that answers a call has to have. */
export interface CallRequirements {
  readonly role: UpstreamRole
  /** Number of the block that the call is about, where it names one. */
  readonly block?: number | undefined
}

/** What a call asks of the upstream that is chosen for it. */
export interface SelectionCriteria {
  readonly method: string
  readonly needs: CallRequirements
  readonly pace: 'quick' | 'slow'
  /** Number of a block that the upstream should have. */
  readonly minBlock?: number | undefined
}

// An upstream that is this much worse than another one gives its turn away.
const clearlyWorse = 2
const saysNothingMs = 5

/**
 * Finds the upstream for a call: of those that have what it needs the healthiest, of these one with room for it, and of
 * these the one whose turn it is by weight, unless another one would answer much sooner.
 *
 * @param members - those that may be asked; none of them is cordoned or of another chain
 * @returns undefined when there is none
 */
export function selectUpstream<member extends PoolMember>(
  members: readonly member[],
  choice: SelectionCriteria,
): member | undefined {
  if (members.length <= 1) return members[0]
  const minBlock = Math.max(choice.minBlock ?? -1, choice.needs.block ?? -1)
  let left: member[] = []
  let fewest = Infinity
  for (const member of members) {
    const faults = faultsOf(member, choice, minBlock)
    if (faults > fewest) continue
    if (faults < fewest) left = []
    fewest = faults
    left.push(member)
  }
  const roomy = left.filter((member) => waitMs(member) === 0)
  if (roomy.length === 0) return left.reduce((best, one) => (waitMs(one) < waitMs(best) ? one : best))
  return soonest(roomy, choice.pace)
}

/**
 * Finds the upstream for a call where calls stay at one: the healthiest with room for it, of equals the present one, else the
 * first. A client that has read a head from one upstream would otherwise read an older one from the next.
 *
 * @param members - those that may be asked, in the order of the configuration
 * @param present - the one that calls go to
 * @returns undefined when there is none
 */
export function selectSteadily<member extends PoolMember>(
  members: readonly member[],
  present: member | undefined,
): member | undefined {
  let best: member | undefined
  let fewest = Infinity
  for (const member of members) {
    const isFull = waitMs(member) > 0 ? 1 : 0
    const faults = (upstreamClasses.indexOf(member.class) * 2 + isFull) * 2 + (member === present ? 0 : 1)
    if (faults >= fewest) continue
    fewest = faults
    best = member
  }
  return best
}

/** What speaks against an upstream, as one number: each fault outweighs all that come after it. */
function faultsOf(member: PoolMember, { method, needs }: SelectionCriteria, minBlock: number): number {
  const lacksRole = member.serves(needs.role) ? 0 : 1
  const lacksMethod = member.upstream.isLacking(method) ? 1 : 0
  const health = upstreamClasses.indexOf(member.class)
  const lacksBlock = minBlock < 0 || (member.head ?? -1) >= minBlock ? 0 : 1
  return ((lacksRole * 2 + lacksMethod) * upstreamClasses.length + health) * 2 + lacksBlock
}

function waitMs({ upstream }: PoolMember): number {
  return upstream.rate.waitMs
}

function soonest<member extends PoolMember>(
  members: readonly member[],
  pace: SelectionCriteria['pace'],
): member | undefined {
  const next = nextTurn(members)
  return members.reduce(
    (best, one) => (best && loadOf(one, pace) * clearlyWorse < loadOf(best, pace) ? one : best),
    next,
  )
}

/** Smooth weighted turns, as nginx takes them: of `a` with weight 2 and `b` with weight 1 it makes `a b a`. */
function nextTurn<member extends PoolMember>(members: readonly member[]): member | undefined {
  let next: member | undefined
  let sum = 0
  for (const member of members) {
    member.turn += member.record.weight
    sum += member.record.weight
    if (!next || member.turn > next.turn) next = member
  }
  if (next) next.turn -= sum
  return next
}

// An upstream of twice the weight is expected to bear twice the calls. Some milliseconds more or less say nothing.
function loadOf({ upstream, record }: PoolMember, pace: SelectionCriteria['pace']): number {
  return ((upstream[pace].mean ?? 0) + saysNothingMs) * (upstream.callsInFlight / record.weight + 1)
}
