import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import { parseUpstreamUrl } from './upstream/parse-url.ts'

/** gRPC of any service, opened by an x-token. */
export const grpc: ProtocolDescription = {
  name: 'grpc',
  upstreamFields: [
    {
      name: 'grpc',
      recordName: 'grpc',
      schemes: ['http:', 'https:'],
      isSingle: true,
      check: (address) =>
        parseUpstreamUrl(address)
          ? undefined
          : 'Must be an address without a path, with user information of the form name:value or none.',
    },
  ],
  chains: ['solana'],
  defaultChain: 'solana',
  furtherChains: ['evm', 'high-throughput'],
  credentialKinds: ['x-token'],
  reservedSegments: [],
  endpointUrls: (base) => ({ grpc: new URL(base).origin }),
}
