import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import { costsByMethod } from '@fairlead/gateway-core/usage/units'
import { policies as rpcPolicies } from './generated/jetton-v2-rpc/method-policies.ts'
import { policies as v2Policies } from './generated/jetton-v2/operation-policies.ts'
import { policies as v3Policies } from './generated/jetton-v3/operation-policies.ts'

const schemes = ['http:', 'https:']

/**
 * The jetton chain API, the toncenter-compatible HTTP API of TON, in its families v2 and v3. Family v3 reads an index
 * of the chain.
 */
export const jetton: ProtocolDescription = {
  name: 'jetton',
  upstreamFields: [
    { name: 'jetton', recordName: 'jetton', option: 'jettonUpstream', schemes, isSingle: false },
    {
      name: 'jetton_v3',
      recordName: 'jetton-v3',
      option: 'jettonV3Upstream',
      schemes,
      isSingle: false,
      requires: {
        field: 'jetton',
        message: 'Requires the URL of an upstream of the same chain in jetton.',
        optionDescription: 'the URL of an upstream of the same chain',
      },
    },
  ],
  chains: ['jetton'],
  defaultChain: 'jetton',
  furtherChains: [],
  credentialKinds: [],
  routes: [{ kind: 'http', pattern: { afterToken: 'api', isDeep: true } }],
  cost: costsByMethod({ ...rpcPolicies, ...v2Policies, ...v3Policies }),
  endpointUrls: (base, token) => ({
    api_v2: `${base}/${token}/api/v2`,
    api_v3: `${base}/${token}/api/v3`,
  }),
}
