import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import { readJwtSecret } from './upstream/upstream-jwt.ts'
import { rpcRoutes } from './http/rpc-routes.ts'
import { evmCost, methodsOfChain } from './methods/chain-methods.ts'

const checkJwtSecret = (file: string, option: string) => void readJwtSecret(file, option)

/** EVM JSON-RPC over HTTP and WebSocket. */
export const evm: ProtocolDescription = {
  name: 'evm',
  upstreamFields: [
    {
      name: 'evm',
      recordName: 'evm',
      option: 'evmUpstream',
      schemes: ['http:', 'https:'],
      isSingle: false,
      checkJwtSecret,
    },
    {
      name: 'websocket',
      recordName: 'websocket',
      option: 'evmWebSocketUpstream',
      checkJwtSecret,
      schemes: ['ws:', 'wss:'],
      isSingle: false,
      requires: {
        field: 'evm',
        message: 'Requires the HTTP URLs of the same upstreams in evm.',
        optionDescription: 'the HTTP URL of the same upstream',
      },
    },
  ],
  chains: ['ethereum', 'evm', 'high-throughput'],
  defaultChain: 'evm',
  chainTitles: { evm: 'any EVM chain' },
  furtherChains: [],
  credentialKinds: [],
  routes: rpcRoutes,
  cost: evmCost,
  endpointUrls: (base, token, chain) => {
    const { path } = methodsOfChain(chain)
    const end = path === '' ? '' : `/${path}`
    return {
      https: `${base}/${token}${end}`,
      wss: `${base.replace(/^http/, 'ws')}/ws/${token}${end}`,
    }
  },
  methodsOf: methodsOfChain,
}
