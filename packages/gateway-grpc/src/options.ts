import type { OptionGroup } from '@fairlead/gateway-core/protocol/option'

/** Options that only gRPC reads. */
export const grpcOptions = {
  grpcUpstream: {
    kind: 'secret',
    environment: 'FAIRLEAD_GRPC_UPSTREAM',
    description:
      'URL of the gRPC upstream, with metadata as https://x-token:SECRET@host; several URLs are separated by spaces; credentials are never shown.',
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
    description: 'Maximum number of concurrent gRPC calls and streams per credential.',
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
      'Maximum number of gRPC streams to stalled clients, up to 2 MiB each; beyond the limit, the longest-stalled stream ends.',
    fallback: 256,
    minimum: 1,
    maximum: 100_000,
  },
  grpcRules: {
    topic: 'limits',
    kind: 'string',
    environment: 'FAIRLEAD_GRPC_RULES',
    description:
      'Rules for gRPC methods, separated by spaces: a path, optionally ending in *, then =deny, =allow or limits per credential such as =100/s,20.',
    reload: true,
  },
} as const satisfies OptionGroup
