/** What is known of a node from the calls that went to it. */
export interface NodeHealth {
  /** In a row. */
  failures: number
  /** Until when other nodes come first, in milliseconds since the epoch. */
  behindUntil: number
}

export const newHealth = (): NodeHealth => ({ failures: 0, behindUntil: 0 })

export function recordSuccess(health: NodeHealth): void {
  Object.assign(health, newHealth())
}

/** Puts a node behind the others: for a second, twice as long with every failure, or as long as the node asked for. */
export function recordFailure(health: NodeHealth, askedMs = 0): void {
  health.failures += 1
  const pauseMs = Math.min(60_000, 500 * 2 ** health.failures)
  health.behindUntil = Date.now() + Math.max(pauseMs, askedMs)
}

/** Of a node that was unwell, one call at a time finds out how it is now; that takes `limitMs` at most. */
export function recordTry(health: NodeHealth, limitMs: number): void {
  if (health.failures > 0) health.behindUntil = Date.now() + limitMs
}

/** The first of those that are well, else the one whose pause ends first. There must be one. */
export function bestOf<node extends { readonly health: NodeHealth }>(nodes: readonly node[]): node {
  const now = Date.now()
  const rank = ({ health }: node): number => Math.max(health.behindUntil, now)
  return nodes.reduce((best, node) => (rank(node) < rank(best) ? node : best))
}
