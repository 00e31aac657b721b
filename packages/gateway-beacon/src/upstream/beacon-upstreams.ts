import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { RestUpstream } from '@fairlead/gateway-core/rest/rest-call'
import { usedAddresses } from '@fairlead/gateway-core/grants/parse-upstreams'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import { RestUpstreams } from '@fairlead/gateway-core/rest/rest-upstreams'
import { ResponseCache } from '../cache/response-cache.ts'
import type { BeaconUpstreams } from './types.ts'
import { BeaconNodeGroup } from './forward.ts'
import { readHealth } from './health.ts'
import { WatchedNodes, watchTimes } from './watched-nodes.ts'

/** What the beacon nodes are made with. */
export interface BeaconNodeOptions {
  /** Opens the connections to a node; throws when the address is not one. */
  readonly open: (address: string) => RestUpstream
  /** HTTP address of the embedded chain, for nodes whose upstream is `devnet`. */
  readonly embedded: string | undefined
  /** For all answers that are kept. */
  readonly maxCacheBytes?: number
  readonly times?: typeof watchTimes
}

const defaultCacheBytes = 64 * 1024 * 1024

/** Makes the set of all beacon nodes: a group for each list of addresses, and one set of connections for each address. */
export function createBeaconUpstreams(options: BeaconNodeOptions): BeaconUpstreams {
  const { open, embedded, maxCacheBytes = defaultCacheBytes, times = watchTimes } = options
  const cache = new ResponseCache(maxCacheBytes)
  const upstreams = new RestUpstreams(open)
  const groups = new Map<string, { readonly watched: WatchedNodes; readonly group: BeaconNodeGroup }>()

  return {
    of: (grant) => {
      const addresses = addressesOf(grant, embedded)
      const name = addresses.toSorted().join(' ')
      const key = addresses.join(' ')
      const known = groups.get(key)
      if (known) return known.group
      const watched = new WatchedNodes(
        addresses.map((address) => upstreams.at(address)),
        times,
      )
      const group = new BeaconNodeGroup(name, watched, cache)
      groups.set(key, { watched, group })
      return group
    },
    embeddedAnswer: async (signal) => {
      if (embedded !== undefined) await readHealth(upstreams.at(embedded), signal)
    },
    close: async () => {
      for (const { watched } of groups.values()) watched.close()
      await upstreams.close()
    },
  }
}

function addressesOf({ upstreams }: Grant, embedded: string | undefined): string[] {
  const addresses = usedAddresses(upstreams['beacon']).map((word) => (word === 'devnet' ? embedded : word))
  const usable = addresses.filter((address) => address !== undefined)
  if (usable.length === 0) throw new RestError(503, 'This node has no upstream for beacon.')
  return [...new Set(usable)]
}
