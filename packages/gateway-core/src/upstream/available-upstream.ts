import type { PoolMember } from './pool-member.ts'
import type { Connection } from './upstream.ts'

/** An upstream that can receive a call now. */
export interface AvailableUpstream<connection extends Connection> {
  readonly member: PoolMember<connection>
  /** Whether it is out of service, and may have recovered. */
  readonly isTrial: boolean
}

/**
 * Selects an upstream for a call that waits for another one, or would fail: the best one that is available, or else one
 * that may be tried.
 *
 * @param choose - selects the best upstream other than these
 * @param state - of the call; see {@link Upstream.mayTry}
 */
export function selectAvailable<connection extends Connection>(
  choose: (others: readonly PoolMember<connection>[]) => PoolMember<connection> | undefined,
  state: 'waiting' | 'failing',
): AvailableUpstream<connection> | undefined {
  const unavailable: PoolMember<connection>[] = []
  for (let member = choose(unavailable); member; member = choose(unavailable)) {
    if (member.upstream.isAvailable) return { member, isTrial: false }
    unavailable.push(member)
  }
  const tried = unavailable.find(({ upstream }) => upstream.mayTry(state))
  return tried && { member: tried, isTrial: true }
}
