import { LRUCache } from 'lru-cache'
import type { Grant } from '../grants/grant.ts'
import { parseUpstreams, type UpstreamRecord } from '../grants/parse-upstreams.ts'
import type { UpstreamState } from '../upstream/upstream.ts'
import type { RestUpstream } from './rest-call.ts'
import { RestError } from './rest-error.ts'
import { RestPool, type RestPoolOptions } from './rest-pool.ts'
import type { RestUpstreams } from './rest-upstreams.ts'

/** What the upstreams of all nodes are made with. */
export interface RestPoolsOptions extends RestPoolOptions {
  readonly protocol: string
  /** Field of the upstreams, by its name in records. */
  readonly field: string
  readonly upstreams: RestUpstreams
  /** URL of the embedded chain, for nodes whose upstream is `devnet`. */
  readonly embedded: string | undefined
}

// Upstreams of nodes change, and nobody says which ones are gone.
const mostKept = 20_000

/** The upstreams of one field of all nodes: a pool for each list of upstreams. */
export class RestPools {
  readonly #options: RestPoolsOptions
  // What nobody has used for longest is let go of, and checks nothing any more.
  readonly #pools = new LRUCache<string, RestPool>({ max: mostKept, dispose: (pool) => pool.close() })

  constructor(options: RestPoolsOptions) {
    this.#options = options
  }

  /**
   * The upstreams of a node.
   *
   * @param text - as in its record, when it is not that of the field
   * @throws RestError 503 when there is none that can be used
   */
  of({ upstreams, nodeId }: Grant, text = upstreams[this.#options.field]): RestPool {
    const known = text === undefined ? undefined : this.#pools.get(text)
    if (text !== undefined && known) return known
    const members = this.#recordsOf(text).map((placed) => ({ ...placed, upstream: this.#at(placed.record) }))
    if (text === undefined || members.length === 0) throw this.#missing()
    const pool = new RestPool(`${nodeId}/${this.#options.field}`, members, this.#options)
    this.#pools.set(text, pool)
    return pool
  }

  /** What is known of every upstream that was used; the one that was used last stands last. */
  states(): readonly UpstreamState[] {
    return [...this.#pools.values()].toReversed().flatMap((pool) => pool.states())
  }

  /** What is known of the upstreams of a node, which are asked for their health for a minute from now on. */
  statesOf(grant: Grant): readonly UpstreamState[] {
    if (grant.upstreams[this.#options.field] === undefined) return []
    try {
      const pool = this.of(grant)
      pool.watch()
      return pool.states()
    } catch {
      // Whoever wrote them was told so.
      return []
    }
  }

  /** The connections to the embedded chain; undefined without one. */
  embedded(): RestUpstream | undefined {
    const { embedded } = this.#options
    return embedded === undefined ? undefined : this.#options.upstreams.at(embedded)
  }

  /** Ends the checks; the connections belong to the upstreams. */
  close(): void {
    for (const pool of this.#pools.values()) pool.close()
  }

  /** Those that are written twice have one place. */
  #recordsOf(
    text: string | undefined,
  ): readonly { readonly record: UpstreamRecord; readonly position: number }[] {
    try {
      const known = new Set<string>()
      return parseUpstreams(text ?? '')
        .map((record, position) => ({ record, position }))
        .filter(({ record: { address } }) => !known.has(address) && known.add(address))
    } catch {
      // The text holds credentials.
      return []
    }
  }

  #at({ address }: UpstreamRecord): RestUpstream {
    const url = address === 'devnet' ? this.#options.embedded : address
    if (url === undefined) throw this.#missing()
    return this.#options.upstreams.at(url)
  }

  #missing(): RestError {
    return new RestError(503, `This node has no upstream for ${this.#options.protocol}.`)
  }
}
