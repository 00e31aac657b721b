import type { Option } from '@fairlead/gateway-core/protocol/option'

/** The nodes that the service stands in front of, and how it asks them. */
export const upstreamOptions = {
  evmUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_EVM_UPSTREAM',
    description:
      'HTTP address of the EVM node to stand in front of, or several of one chain with spaces between. They may hold credentials and are never shown.',
    form: {
      pattern: /^\s*https?:\/\/[^\s/]\S*(?:\s+https?:\/\/[^\s/]\S*)*\s*$/,
      rule: 'one or several http or https URLs with spaces between',
    },
    reload: true,
  },
  evmWebSocketUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_EVM_WEBSOCKET_UPSTREAM',
    description:
      'WebSocket address of the same EVM node, or several, for subscriptions; without it the node is asked for news.',
    form: {
      pattern: /^\s*wss?:\/\/[^\s/]\S*(?:\s+wss?:\/\/[^\s/]\S*)*\s*$/,
      rule: 'one or several ws or wss URLs with spaces between',
    },
    reload: true,
  },
  beaconUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_BEACON_UPSTREAM',
    description:
      'HTTP address of the beacon node to stand in front of, or several of one network with spaces between. They may hold credentials and are never shown.',
    form: {
      pattern: /^\s*https?:\/\/[^\s/]\S*(?:\s+https?:\/\/[^\s/]\S*)*\s*$/,
      rule: 'one or several http or https URLs with spaces between',
    },
    reload: true,
  },
  jettonUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_JETTON_UPSTREAM',
    description:
      'HTTP address of the jetton node to stand in front of, below which its /api/v2 and /api/v3 lie. It may hold credentials and is never shown.',
    form: { pattern: /^https?:\/\/[^\s/]\S*$/, rule: 'an http or https URL' },
    reload: true,
  },
  jettonV3Upstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_JETTON_V3_UPSTREAM',
    description:
      'HTTP address of the index over the same chain, below which /api/v3 lies; without it the jetton node is asked.',
    form: { pattern: /^https?:\/\/[^\s/]\S*$/, rule: 'an http or https URL' },
    reload: true,
  },
  grpcUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_GRPC_UPSTREAM',
    description:
      'Address of the gRPC node to stand in front of, as https://x-token:SECRET@host where it asks for metadata. It is never shown.',
    form: {
      pattern: /^https?:\/\/[^\s/]+\/?$/,
      rule: 'an http or https URL without a path, such as https://x-token:SECRET@node.example',
    },
    reload: true,
  },
  network: {
    kind: 'string',
    environment: 'FAIRLEAD_NETWORK',
    description: 'Network name of the node that the first start creates.',
    fallback: 'mainnet',
    reload: true,
  },
  beaconDebug: {
    kind: 'boolean',
    environment: 'FAIRLEAD_BEACON_DEBUG',
    description: 'Offer the debug endpoints of the beacon node API, whose answers can be very large.',
    fallback: true,
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
  headPollMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_HEAD_POLL_MS',
    description:
      'How often a node that is used is asked for its head, in milliseconds; one with a WebSocket tells its subscribers of news itself.',
    fallback: 1_000,
    minimum: 50,
    maximum: 600_000,
  },
  upstreamTimeoutMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_UPSTREAM_TIMEOUT_MS',
    description: 'How long a node may take to answer, in milliseconds.',
    fallback: 30_000,
    minimum: 100,
    maximum: 600_000,
  },
  upstreamHedges: {
    kind: 'boolean',
    environment: 'FAIRLEAD_UPSTREAM_HEDGES',
    description:
      'Whether a second upstream of a node is asked as well when the first one takes longer than it mostly does; for one call in twenty at most.',
    fallback: true,
    reload: true,
  },
  upstreamLogRange: {
    kind: 'integer',
    environment: 'FAIRLEAD_UPSTREAM_LOG_RANGE',
    description:
      'Most blocks that a node is asked for logs of at once; a longer query is asked in parts. 0 for any number.',
    fallback: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    reload: true,
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
  cacheHeadMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_CACHE_HEAD_MS',
    description:
      'How long an answer about the newest block may be kept while that is the newest, in milliseconds; 0 keeps none.',
    fallback: 0,
    minimum: 0,
    maximum: 60_000,
    reload: true,
  },
} as const satisfies Readonly<Record<string, Option>>
