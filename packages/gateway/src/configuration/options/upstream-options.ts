import type { OptionGroup } from '@fairlead/gateway-core/protocol/option'

/** Options for the upstreams of all protocols. */
export const upstreamOptions = {
  network: {
    kind: 'string',
    environment: 'FAIRLEAD_NETWORK',
    description: 'Network name of the node created at the first start.',
    fallback: 'mainnet',
    reload: true,
  },
  privateUpstreams: {
    kind: 'boolean',
    environment: 'FAIRLEAD_PRIVATE_UPSTREAMS',
    description:
      'Allow upstreams in private networks and on loopback in the platform API; also checked for each connection.',
    fallback: true,
    reload: true,
  },
  probeNodes: {
    kind: 'boolean',
    environment: 'FAIRLEAD_PROBE_NODES',
    description:
      'Probe the methods of each node, without side effects, at startup, daily and after a change of the client; check its version every minute.',
    fallback: true,
  },
  upstreamTimeoutMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_UPSTREAM_TIMEOUT_MS',
    description: 'Timeout of upstream calls, in milliseconds.',
    fallback: 30_000,
    minimum: 100,
    maximum: 600_000,
  },
  cacheBytes: {
    kind: 'integer',
    environment: 'FAIRLEAD_CACHE_BYTES',
    description:
      'Cache size per process for immutable EVM responses, in bytes; beacon responses use up to twice as much; 0 = no cache.',
    fallback: 67_108_864,
    minimum: 0,
    maximum: 68_719_476_736,
  },
} as const satisfies OptionGroup
