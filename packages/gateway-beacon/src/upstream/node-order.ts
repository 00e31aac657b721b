import type { NodeHealth } from './health.ts'

/** What is known of one of several nodes. */
export interface NodeState {
  /** The last that it said of itself; undefined until it has. */
  readonly health: NodeHealth | undefined
  /** Whether it failed a short while ago. */
  readonly isFailing: boolean
}

// Two heads may differ for as long as a block takes to reach everybody.
const toleratedLagSlots = 2

/**
 * Puts nodes in the order in which they should be asked: in step, unable to verify, lagging, syncing, failing.
 *
 * The present node gives way only to one of a better class. Otherwise a client that has read a head from one node would
 * read an older one from the next.
 *
 * @param nodes - in the order of the configuration, which decides between equals
 * @param present - the node that is being used
 */
export function inOrder<node extends NodeState>(nodes: readonly node[], present: node | undefined): node[] {
  const bestHead = Math.max(...nodes.map((node) => (node.isFailing ? 0 : (node.health?.headSlot ?? 0))))
  const rank = (node: node) => classOf(node, bestHead) * 2 + (node === present ? 0 : 1)
  return nodes.toSorted((a, b) => rank(a) - rank(b))
}

function classOf({ health, isFailing }: NodeState, bestHead: number): number {
  if (isFailing) return 4
  if (!health || health.isSyncing) return 3
  if (bestHead - health.headSlot > toleratedLagSlots) return 2
  return health.isOptimistic || health.isExecutionOffline ? 1 : 0
}
