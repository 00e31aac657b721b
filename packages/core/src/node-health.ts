/** Health of a node, measured by the calls sent to it. */
export interface NodeHealth {
  /** Number of consecutive failures. */
  failures: number
  /** The node comes after the others until this time, in milliseconds since the epoch. */
  behindUntil: number
}

export const newHealth = (): NodeHealth => ({ failures: 0, behindUntil: 0 })

export function recordSuccess(health: NodeHealth): void {
  Object.assign(health, newHealth())
}

/** Puts a node after the others: for one second, twice as long with every failure, or as long as the node requested. */
export function recordFailure(health: NodeHealth, askedMs = 0): void {
  health.failures += 1
  const pauseMs = Math.min(60_000, 500 * 2 ** health.failures)
  health.behindUntil = Date.now() + Math.max(pauseMs, askedMs)
}

/** Limits an unhealthy node to one probe call at a time, which takes at most `limitMs`. */
export function recordTry(health: NodeHealth, limitMs: number): void {
  if (health.failures > 0) health.behindUntil = Date.now() + limitMs
}

/** Returns the first healthy node, or else the one whose back-off ends first. The list must not be empty. */
export function bestOf<node extends { readonly health: NodeHealth }>(nodes: readonly node[]): node {
  const now = Date.now()
  const rank = ({ health }: node): number => Math.max(health.behindUntil, now)
  return nodes.reduce((best, node) => (rank(node) < rank(best) ? node : best))
}
