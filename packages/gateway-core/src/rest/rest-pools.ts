import type { Grant } from '../grants/grant.ts'
import { parseUpstreams, type UpstreamRecord, upstreamsOrNone } from '../grants/parse-upstreams.ts'
import { type NodePool, NodePools, type PooledUpstreamState } from '../upstream/node-pools.ts'
import type { IsStale } from '../upstream/node-resources.ts'
import type { PoolUpstream, UpstreamState } from '../upstream/pool-member.ts'
import { type Fingerprint, UpstreamRegistry } from '../upstream/upstream-registry.ts'
import type { RestUpstream } from './rest-call.ts'
import { RestError } from './rest-error.ts'
import { RestPool, type RestPoolOptions } from './rest-pool.ts'

/** Options of {@link RestPools}. */
export interface RestPoolsOptions extends RestPoolOptions {
  readonly protocol: string
  /** Field of the upstreams, by its name in records. */
  readonly field: string
  /** Opens the connections to an upstream; throws when the URL is invalid. */
  readonly open: (url: string) => RestUpstream
  /** URL of the embedded chain, for nodes whose upstream is `devnet`. */
  readonly embedded: string | undefined
  /** Generates the ids of the upstreams. */
  readonly fingerprint?: Fingerprint | undefined
  readonly isStale?: IsStale | undefined
}

/** The upstreams of one field of all nodes: one pool for each list of upstreams. */
export class RestPools {
  readonly #options: RestPoolsOptions
  readonly #registry: UpstreamRegistry<RestUpstream>
  readonly #pools: NodePools<RestPool>

  constructor(options: RestPoolsOptions) {
    this.#options = options
    const { field, fingerprint, isStale } = options
    this.#pools = new NodePools(isStale)
    this.#registry = new UpstreamRegistry({ field, fingerprint, open: (record) => this.#open(record) })
  }

  /**
   * Returns the pool of a node.
   *
   * @param text - list of upstreams as in the record, when it is not that of the field
   * @throws RestError 503 when no upstream can be used
   */
  of(grant: Grant, text?: string): RestPool {
    return this.nodePoolOf(grant, text).current
  }

  /** As {@link of}; the result outlives changes of the upstreams. */
  nodePoolOf(grant: Grant, text = grant.upstreams[this.#options.field]): NodePool<RestPool> {
    if (text === undefined) throw this.#missing()
    return this.#pools.of(grant, text, (previous) => {
      const { field } = this.#options
      return new RestPool(field, this.#membersOf(text), this.#options, previous)
    })
  }

  /** State of every upstream that was used. */
  states(): readonly PooledUpstreamState[] {
    return this.#pools.states()
  }

  /** State of the upstreams of a node; starts health checks for one minute. */
  statesOf(grant: Grant): readonly UpstreamState[] {
    if (grant.upstreams[this.#options.field] === undefined) return []
    try {
      const pool = this.of(grant)
      pool.watch()
      return pool.states()
    } catch {
      // The API reported the error when the record was written.
      return []
    }
  }

  /** The connections to the embedded chain; undefined without one. */
  embedded(): RestUpstream | undefined {
    if (this.#options.embedded === undefined) return undefined
    const [devnet] = parseUpstreams('devnet')
    return devnet && this.#registry.of(devnet).connection
  }

  /** Stops the health checks and closes the connections. */
  close(): Promise<void> {
    this.#pools.close()
    return this.#registry.close()
  }

  /** An upstream that is listed twice has the position of its first entry that is in use. */
  #membersOf(text: string): readonly PoolUpstream<RestUpstream>[] {
    const byAddress = new Map<string, { readonly record: UpstreamRecord; readonly position: number }>()
    for (const [position, record] of upstreamsOrNone(text).entries()) {
      const first = byAddress.get(record.address)
      if (!first || (first.record.isCordoned && !record.isCordoned))
        byAddress.set(record.address, { record, position })
    }
    if (byAddress.size === 0) throw this.#missing()
    return [...byAddress.values()]
      .toSorted((a, b) => a.position - b.position)
      .map(({ record, position }) => ({ record, position, upstream: this.#registry.of(record) }))
  }

  #open({ address }: UpstreamRecord): RestUpstream {
    const { open, embedded } = this.#options
    const url = address === 'devnet' ? embedded : address
    if (url === undefined) throw this.#missing()
    try {
      return open(url)
    } catch {
      // The error would quote the URL, including its credentials.
      throw new RestError(503, 'An upstream URL of this node is not an HTTP URL.')
    }
  }

  #missing(): RestError {
    return new RestError(503, `This node has no upstream for ${this.#options.protocol}.`)
  }
}
