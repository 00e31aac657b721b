import { LRUCache } from 'lru-cache'
import type { UpstreamState } from './pool-member.ts'

/** The pool of the upstreams of a node. */
export interface NodePool {
  states(): readonly UpstreamState[]
  close(): void
}

/** State of an upstream in a pool, with the nodes that use the pool. */
export interface PooledUpstreamState extends UpstreamState {
  /** Ids of the nodes. */
  readonly nodes: readonly string[]
}

interface SharedPool<pool extends NodePool> {
  readonly text: string
  readonly pool: pool
  readonly nodes: Set<string>
}

// Deleted nodes are not reported, so the number is limited.
const maxNodes = 20_000

/**
 * The pools of one field of all nodes. Nodes with the same upstreams share a pool. A pool that no node uses any longer
 * is dropped: its current calls complete, and it stops its health checks when it is idle.
 */
export class NodePools<pool extends NodePool> {
  // The least recently used node loses its pool.
  readonly #byNode = new LRUCache<string, SharedPool<pool>>({
    max: maxNodes,
    dispose: (shared, nodeId) => this.#release(shared, nodeId),
  })
  readonly #byText = new Map<string, SharedPool<pool>>()

  /**
   * Returns the pool of a node.
   *
   * @param text - upstreams as in the record of the node
   * @param open - creates the pool when no node has it yet; an error that it throws is passed on
   */
  of(nodeId: string, text: string, open: () => pool): pool {
    const known = this.#byNode.get(nodeId)
    if (known?.text === text) return known.pool
    const shared = this.#byText.get(text) ?? { text, pool: open(), nodes: new Set<string>() }
    shared.nodes.add(nodeId)
    this.#byText.set(text, shared)
    this.#byNode.set(nodeId, shared)
    return shared.pool
  }

  /** State of every upstream that was used. */
  states(): readonly PooledUpstreamState[] {
    return [...this.#byText.values()].flatMap(({ pool, nodes }) =>
      pool.states().map((state) => ({ ...state, nodes: [...nodes] })),
    )
  }

  close(): void {
    for (const { pool } of this.#byText.values()) pool.close()
  }

  #release(shared: SharedPool<pool>, nodeId: string): void {
    shared.nodes.delete(nodeId)
    if (shared.nodes.size === 0) this.#byText.delete(shared.text)
  }
}
