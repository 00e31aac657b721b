import { parseUpstreams, type UpstreamRecord, upstreamsOrNone } from '../grants/parse-upstreams.ts'
import type { Grant } from '../grants/grant.ts'
import { type IsStale, NodeResources, type ResourceFactory } from './node-resources.ts'
import type { PoolUpstream, UpstreamState } from './pool-member.ts'
import { type ClosableConnection, type Fingerprint, UpstreamRegistry } from './upstream-registry.ts'

/** The upstreams of a node for one field. */
export interface WatchedPool {
  states(): readonly UpstreamState[]
  /** Checks the health of the upstreams for a while. */
  watch(): void
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
export class NodePool<pool extends WatchedPool> {
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

/** An upstream of a list, with its index in the list, from 0. */
export interface ListedUpstream {
  readonly record: UpstreamRecord
  readonly position: number
}

/** How a protocol opens its upstreams and combines them into pools. */
export interface NodePoolsOptions<connection extends ClosableConnection, pool extends WatchedPool> {
  /** Field of the upstreams, by its name in records. */
  readonly field: string
  /** URL of the embedded chain, for nodes whose upstream is `devnet`. */
  readonly embedded: string | undefined
  /** Opens the connections to an upstream; an error that it throws is passed on. */
  open(url: string, record: UpstreamRecord): connection
  /** Selects the upstreams of a list that become members of its pool; all when omitted. */
  select?(listed: readonly ListedUpstream[]): readonly ListedUpstream[]
  /**
   * Creates a pool.
   *
   * @param upstreams - at least one
   * @param previous - pool that it replaces
   * @param former - `previous`, or the pool that the node had before it got a separate object
   */
  createPool(
    upstreams: readonly PoolUpstream<connection>[],
    previous: pool | undefined,
    former: pool | undefined,
  ): pool
  /**
   * Creates the error for a node without an upstream.
   *
   * @param isListed - whether the node has a list, which is empty or cannot be read
   */
  noUpstream(isListed: boolean): Error
  /** Generates the ids of the upstreams; when omitted, they are unique to this process. */
  readonly fingerprint?: Fingerprint | undefined
  readonly isStale?: IsStale | undefined
}

/**
 * The pools of one field of all nodes, and the upstreams in them, each opened on first use. Nodes with the same
 * upstreams share a pool. A pool that no node uses any longer is dropped: its current calls complete, and it stops its
 * health checks when it is idle.
 */
export class NodePools<connection extends ClosableConnection, pool extends WatchedPool> {
  readonly #options: NodePoolsOptions<connection, pool>
  readonly #registry: UpstreamRegistry<connection>
  readonly #nodes: NodeResources<NodePool<pool>>
  readonly #factory: ResourceFactory<NodePool<pool>>

  constructor(options: NodePoolsOptions<connection, pool>) {
    this.#options = options
    const { field, fingerprint, isStale } = options
    this.#registry = new UpstreamRegistry({ field, fingerprint, open: (record) => this.#connect(record) })
    this.#nodes = new NodeResources(isStale)
    this.#factory = {
      open: (text, former) => new NodePool(text, this.#open(text, undefined, former?.current)),
      change: (node, text) => node.replace(text, (previous) => this.#open(text, previous, previous)),
    }
  }

  /**
   * Returns the pool of a node.
   *
   * @param text - list of upstreams as in the record, when it is not that of the field
   * @throws `noUpstream` of the options, or as `open`
   */
  of(grant: Grant, text = grant.upstreams[this.#options.field]): NodePool<pool> {
    if (text === undefined) throw this.#options.noUpstream(false)
    return this.#nodes.of(grant, text, this.#factory)
  }

  /**
   * Returns the connections to the upstreams of a node, in their order, without the cordoned ones.
   *
   * @throws as {@link of}
   */
  connectionsOf(grant: Grant): readonly connection[] {
    return this.#listOf(grant.upstreams[this.#options.field] ?? '')
      .filter(({ record }) => !record.isCordoned)
      .map(({ record }) => this.#registry.of(record).connection)
  }

  /** The connections to the embedded chain; undefined without one. */
  embedded(): connection | undefined {
    if (this.#options.embedded === undefined) return undefined
    const [devnet] = parseUpstreams('devnet')
    return devnet && this.#registry.of(devnet).connection
  }

  /** State of every upstream that was used. */
  states(): readonly PooledUpstreamState[] {
    return [...this.#nodes.entries()].flatMap(([{ current }, nodes]) =>
      current.states().map((state) => ({ ...state, nodes })),
    )
  }

  /** State of the upstreams of a node, in their order. Their health is checked for one minute from now on. */
  statesOf(grant: Grant): readonly UpstreamState[] {
    try {
      const { current } = this.of(grant)
      current.watch()
      return current.states()
    } catch {
      // The node has no upstream, or the API reported the fault when the record was written.
      return []
    }
  }

  /** Stops the health checks and closes the connections. */
  close(): Promise<void> {
    this.#nodes.close()
    return this.#registry.close()
  }

  #open(text: string, previous: pool | undefined, former: pool | undefined): pool {
    const listed = this.#listOf(text)
    const selected = this.#options.select?.(listed) ?? listed
    const upstreams = selected.map(({ record, position }) => ({
      record,
      position,
      upstream: this.#registry.of(record),
    }))
    return this.#options.createPool(upstreams, previous, former)
  }

  #listOf(text: string): readonly ListedUpstream[] {
    const records = upstreamsOrNone(text)
    if (records.length === 0) throw this.#options.noUpstream(true)
    return records.map((record, position) => ({ record, position }))
  }

  #connect(record: UpstreamRecord): connection {
    const url = record.address === 'devnet' ? this.#options.embedded : record.address
    if (url === undefined) throw this.#options.noUpstream(false)
    return this.#options.open(url, record)
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
