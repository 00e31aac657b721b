import type { OptionGroup } from '@fairlead/gateway-core/protocol/option'

/** Options that only gRPC reads. */
export const grpcOptions = {
  grpcUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_GRPC_UPSTREAM',
    description:
      'URL of the gRPC node to stand in front of, as https://x-token:SECRET@host where it asks for metadata, or several of one chain with spaces between. They are never shown.',
    form: {
      pattern: /^\s*https?:\/\/[^\s/]+\/?(?:\s+https?:\/\/[^\s/]+\/?)*\s*$/,
      rule: 'one or several http or https URLs without a path, such as https://x-token:SECRET@node.example',
    },
    reload: true,
  },
  maxGrpcCalls: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_GRPC_CALLS',
    description: 'Most gRPC calls and streams that one credential may have open at a time.',
    fallback: 1_000,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxStalledGrpcCalls: {
    topic: 'limits',
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_STALLED_GRPC_CALLS',
    description:
      'Most gRPC streams whose clients do not read, each of which holds up to 2 MiB; beyond it, the one that stalled first is ended.',
    fallback: 256,
    minimum: 1,
    maximum: 100_000,
  },
  grpcRules: {
    topic: 'limits',
    kind: 'string',
    environment: 'FAIRLEAD_GRPC_RULES',
    description:
      'Rules for gRPC methods, with spaces between: a path, which may end with *, then =deny, =allow, or limits for each credential such as =100/s,20.',
    reload: true,
  },
} as const satisfies OptionGroup
