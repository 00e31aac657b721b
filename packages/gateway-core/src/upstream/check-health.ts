import type { PoolMember } from './pool-member.ts'
import type { Connection } from './upstream.ts'
import { type UpstreamError, upstreamFailureOf } from './upstream-error.ts'

/**
 * A rule of the health of an upstream. It reads facts from the upstream into the result of the check, which later rules
 * use too, and rejects when the upstream does not meet the rule.
 */
export type HealthRule<connection extends Connection, health> = (
  member: PoolMember<connection>,
  health: health,
  /** Creates the cancellation signal of one request. */
  signal: () => AbortSignal,
) => Promise<void>

/** How a protocol checks the health of its upstreams. */
export interface HealthRules<connection extends Connection, health> {
  /** The rules, in the order of their requests. */
  readonly rules: readonly HealthRule<connection, health>[]
  /**
   * Returns the upstream failure that an error of a rule indicates; undefined when the upstream sent another response.
   * {@link upstreamFailureOf} when omitted.
   */
  failureOf?(error: unknown): UpstreamError | undefined
}

/** The pool that checks its upstreams. */
export interface CheckingPool<connection extends Connection, health> {
  /** Whether an upstream in use receives calls as usual. */
  hasResponsive(): boolean
  /** Creates the cancellation signal of one request. */
  signal(): AbortSignal
  /** Handles the result of a check that met all rules. */
  onHealthy(member: PoolMember<connection>, health: Partial<health>): Promise<void> | void
  /** Handles a failed check, after its failure was recorded. */
  onUnhealthy(member: PoolMember<connection>): void
}

/** Checks an upstream by the rules of its protocol, and records the outcome in its circuit breaker. Never rejects. */
export async function checkHealth<connection extends Connection, health extends object>(
  member: PoolMember<connection>,
  { rules, failureOf = upstreamFailureOf }: HealthRules<connection, Partial<health>>,
  pool: CheckingPool<connection, health>,
): Promise<void> {
  const { upstream } = member
  const isProbe = upstream.breaker.probe(!pool.hasResponsive())
  try {
    const health: Partial<health> = {}
    for (const rule of rules) await rule(member, health, () => pool.signal())
    // Also ends the probe of another call.
    upstream.breaker.succeed()
    await pool.onHealthy(member, health)
  } catch (error) {
    if (isProbe) upstream.recordFailedCheck(failureOf(error), pool)
    pool.onUnhealthy(member)
  }
}
