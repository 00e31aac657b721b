import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import { costsByMethod } from '@fairlead/gateway-core/usage/units'
import { policies } from './generated/operation-policies.ts'

/** The beacon node API. */
export const beacon: ProtocolDescription = {
  name: 'beacon',
  upstreamFields: [
    {
      name: 'beacon',
      recordName: 'beacon',
      option: 'beaconUpstream',
      schemes: ['http:', 'https:'],
      isSingle: false,
    },
  ],
  chains: ['beacon'],
  defaultChain: 'beacon',
  furtherChains: ['ethereum', 'evm'],
  credentialKinds: [],
  routes: [{ kind: 'http', pattern: { prefix: 'beacon', root: 'eth' } }],
  cost: costsByMethod(policies),
  endpointUrls: (base, token) => ({ beacon: `${base}/beacon/${token}` }),
}
