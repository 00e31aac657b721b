import type { OptionGroup } from '@fairlead/gateway-core/protocol/option'

/** What holds for the upstreams of all protocols. */
export const upstreamOptions = {
  network: {
    kind: 'string',
    environment: 'FAIRLEAD_NETWORK',
    description: 'Network name of the node that the first start creates.',
    fallback: 'mainnet',
    reload: true,
  },
  privateUpstreams: {
    kind: 'boolean',
    environment: 'FAIRLEAD_PRIVATE_UPSTREAMS',
    description:
      'Whether upstreams in private networks and on this machine may be given to nodes through the platform API; checked for each connection too.',
    fallback: true,
    reload: true,
  },
  probeNodes: {
    kind: 'boolean',
    environment: 'FAIRLEAD_PROBE_NODES',
    description:
      'Call every method of every node at the start, once a day and when another client answers, changing nothing, to know which ones it offers; its version and namespaces are read every minute.',
    fallback: true,
  },
  upstreamTimeoutMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_UPSTREAM_TIMEOUT_MS',
    description: 'How long a node may take to answer, in milliseconds.',
    fallback: 30_000,
    minimum: 100,
    maximum: 600_000,
  },
  cacheBytes: {
    kind: 'integer',
    environment: 'FAIRLEAD_CACHE_BYTES',
    description:
      'Memory for responses of EVM nodes that do not change any more, and up to twice as much for those of beacon nodes, in each process; 0 keeps none.',
    fallback: 67_108_864,
    minimum: 0,
    maximum: 68_719_476_736,
  },
} as const satisfies OptionGroup
