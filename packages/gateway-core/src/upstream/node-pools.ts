import { upstreamsOrNone } from '../grants/parse-upstreams.ts'
import type { Grant } from '../grants/grant.ts'
import { type IsStale, NodeResources } from './node-resources.ts'
import type { UpstreamState } from './pool-member.ts'

/** The upstreams of a node for one field. */
export interface Pool {
  states(): readonly UpstreamState[]
  /** Stops the health checks. Current calls complete. */
  retire(): void
  close(): void
}

/** State of an upstream in a pool, with the nodes that use the pool. */
export interface PooledUpstreamState extends UpstreamState {
  /** Ids of the nodes. */
  readonly nodes: readonly string[]
}

/** The pool of a node, which is replaced when the upstreams of the node change. */
export class NodePool<pool extends Pool> {
  #text: string
  #current: pool
  #version = 0

  constructor(text: string, current: pool) {
    this.#text = text
    this.#current = current
  }

  /** The pool for new calls. */
  get current(): pool {
    return this.#current
  }

  /** The upstreams as in the record of the node. They may contain credentials. */
  get text(): string {
    return this.#text
  }

  /** Number of replacements. */
  get version(): number {
    return this.#version
  }

  /**
   * Replaces the pool if one URL stays.
   *
   * @returns false when no URL stays; nothing has changed then
   */
  replace(text: string, open: (previous: pool) => pool): boolean {
    if (!haveCommonUrl(this.#text, text)) return false
    const next = open(this.#current)
    this.#current.retire()
    this.#current = next
    this.#text = text
    this.#version += 1
    return true
  }

  close(): void {
    this.#current.close()
  }
}

/**
 * The pools of one field of all nodes. Nodes with the same upstreams share a pool. A pool that no node uses any longer is
 * dropped: its current calls complete, and it stops its health checks when it is idle.
 */
export class NodePools<pool extends Pool> {
  readonly #nodes: NodeResources<NodePool<pool>>

  constructor(isStale?: IsStale) {
    this.#nodes = new NodeResources(isStale)
  }

  /**
   * Returns the pool of a node.
   *
   * @param text - upstreams as in the record of the node
   * @param open - creates a pool, which replaces `previous`; `former` is the pool that the node had before it got a
   * separate object; an error that it throws is passed on
   */
  of(grant: Grant, text: string, open: (previous?: pool, former?: pool) => pool): NodePool<pool> {
    return this.#nodes.of(grant, text, {
      open: (former) => new NodePool(text, open(undefined, former?.current)),
      change: (node) => node.replace(text, open),
    })
  }

  /** State of every upstream that was used. */
  states(): readonly PooledUpstreamState[] {
    return [...this.#nodes.entries()].flatMap(([{ current }, nodes]) =>
      current.states().map((state) => ({ ...state, nodes })),
    )
  }

  close(): void {
    this.#nodes.close()
  }
}

/**
 * Whether two lists of upstreams, as in the records of nodes, have a URL in common. The embedded chain may be reset at
 * any time, so a list with it has nothing in common with a list without it.
 */
export function haveCommonUrl(before: string, after: string): boolean {
  const [urls, others] = [urlsOf(before), urlsOf(after)]
  return urls.has('devnet') === others.has('devnet') && [...others].some((url) => urls.has(url))
}

function urlsOf(text: string): ReadonlySet<string> {
  return new Set(upstreamsOrNone(text).map(({ address }) => address))
}
