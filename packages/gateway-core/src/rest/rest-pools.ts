import type { UpstreamRecord } from '../grants/parse-upstreams.ts'
import { type ListedUpstream, NodePools } from '../upstream/node-pools.ts'
import type { IsStale } from '../upstream/node-resources.ts'
import type { Fingerprint } from '../upstream/upstream-registry.ts'
import type { RestUpstream } from './rest-call.ts'
import { RestError } from './rest-error.ts'
import { RestPool, type RestPoolOptions } from './rest-pool.ts'

/** Options of {@link createRestPools}. */
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

/** The REST upstreams of one field of all nodes. */
export type RestPools = NodePools<RestUpstream, RestPool>

/** Creates the pools of a REST protocol. They throw RestError 503 when a node has no usable upstream. */
export function createRestPools(options: RestPoolsOptions): RestPools {
  const { protocol, field, embedded, fingerprint, isStale } = options
  return new NodePools({
    field,
    embedded,
    fingerprint,
    isStale,
    select: distinct,
    open: (url) => {
      try {
        return options.open(url)
      } catch {
        // The error would quote the URL, including its credentials.
        throw new RestError(503, 'An upstream URL of this node is not an HTTP URL.')
      }
    },
    createPool: (upstreams, previous: RestPool | undefined) =>
      new RestPool(field, upstreams, options, previous),
    noUpstream: () => new RestError(503, `This node has no upstream for ${protocol}.`),
  })
}

/** An upstream that is listed twice has the position of its first entry that is in use. */
function distinct(listed: readonly ListedUpstream[]): readonly ListedUpstream[] {
  const byAddress = new Map<string, ListedUpstream>()
  for (const upstream of listed) {
    const { address, isCordoned }: UpstreamRecord = upstream.record
    const first = byAddress.get(address)
    if (!first || (first.record.isCordoned && !isCordoned)) byAddress.set(address, upstream)
  }
  return [...byAddress.values()].toSorted((a, b) => a.position - b.position)
}
