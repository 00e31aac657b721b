import type { Logger } from 'pino'
import type { RestPool } from '@fairlead/gateway-core/rest/rest-pool'
import { type HealthTimes, healthTimes } from '@fairlead/gateway-core/upstream/steady-pool'
import { createRestPools } from '@fairlead/gateway-core/rest/rest-pools'
import type { RestUpstream } from '@fairlead/gateway-core/rest/rest-call'
import type { NodePool } from '@fairlead/gateway-core/upstream/node-pools'
import type { IsStale } from '@fairlead/gateway-core/upstream/node-resources'
import type { Fingerprint } from '@fairlead/gateway-core/upstream/upstream-registry'
import { KeyPrefixes } from '../cache/key-prefixes.ts'
import { ResponseCache } from '../cache/response-cache.ts'
import type { BeaconUpstreams } from './types.ts'
import { CachingNodeUpstreams } from './forward.ts'
import { healthRules, readHealth } from './health.ts'

/** Options of {@link createBeaconUpstreams}. */
export interface BeaconUpstreamOptions {
  /** Opens the connections to an upstream; throws when the URL is invalid. */
  readonly open: (url: string) => RestUpstream
  /** URL of the embedded chain, for nodes whose upstream is `devnet`. */
  readonly embedded: string | undefined
  /** Maximum wait for a response, in milliseconds. */
  readonly timeoutMs: number
  /** Maximum total size of the cached responses, in bytes. */
  readonly maxCacheBytes?: number
  readonly times?: HealthTimes
  /** Creates the ids of upstreams. */
  readonly fingerprint?: Fingerprint | undefined
  readonly isStale?: IsStale | undefined
  readonly log?: Logger | undefined
}

const defaultCacheBytes = 64 * 1024 * 1024

// Two chain heads may differ while a block propagates.
const toleratedLag = 2
const slotMs = 12_000

/** Creates the beacon upstreams of all nodes. */
export function createBeaconUpstreams(options: BeaconUpstreamOptions): BeaconUpstreams {
  const { maxCacheBytes = defaultCacheBytes, times = healthTimes, ...rest } = options
  const cache = new ResponseCache(maxCacheBytes)
  const pools = createRestPools({
    ...rest,
    protocol: 'beacon',
    field: 'beacon',
    rules: healthRules,
    probe: readHealth,
    toleratedLag,
    blockMs: slotMs,
    times,
  })
  let lastId = 0
  const upstreamsByPool = new WeakMap<NodePool<RestPool>, CachingNodeUpstreams>()
  const prefixes = new KeyPrefixes()
  return {
    of: (grant) => {
      const pool = pools.of(grant)
      const existing = upstreamsByPool.get(pool)
      existing?.followChanges()
      if (existing) return existing
      const caching = new CachingNodeUpstreams((lastId += 1), pool, cache, prefixes)
      upstreamsByPool.set(pool, caching)
      return caching
    },
    states: () => pools.states(),
    statesOf: (grant) => pools.statesOf(grant),
    checkEmbedded: async (signal) => {
      const upstream = pools.embedded()
      if (upstream) await readHealth(upstream, signal)
    },
    close: () => pools.close(),
  }
}
