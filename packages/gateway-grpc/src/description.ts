import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import { costsByMethod } from '@fairlead/gateway-core/usage/units'
import { policies } from './generated/method-policies.ts'
import { grpcWebType } from './web/web-cors.ts'
import { parseUpstreamUrl } from './upstream/parse-url.ts'

const webPattern = { contentType: grpcWebType, requestHeaders: ['x-grpc-web', 'x-token'] }

/** gRPC of any service, authenticated by an x-token. */
export const grpc: ProtocolDescription = {
  name: 'grpc',
  upstreamFields: [
    {
      name: 'grpc',
      recordName: 'grpc',
      option: 'grpcUpstream',
      optionRule: 'the URL of an upstream, with user information of the form x-token:SECRET or none',
      schemes: ['http:', 'https:'],
      isSingle: false,
      check: (address) =>
        parseUpstreamUrl(address)
          ? undefined
          : 'Must be a URL without a path; user information must have the form name:value.',
    },
  ],
  chains: ['solana'],
  defaultChain: 'solana',
  furtherChains: ['evm', 'high-throughput'],
  credentialKinds: ['x-token'],
  routes: [
    {
      kind: 'http',
      pattern: webPattern,
    },
    { kind: 'http2-stream', pattern: webPattern },
    { kind: 'http2-stream', pattern: { contentType: /^application\/grpc(?:[+;]|$)/, requestHeaders: [] } },
  ],
  cost: costsByMethod(policies),
  endpointUrls: (base) => ({ grpc: new URL(base).origin }),
}
