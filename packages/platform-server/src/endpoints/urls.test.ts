import { expect, it } from 'vitest'
import { nodeDetails } from './urls.ts'
import { protocols } from '../testing/protocols.ts'

const node = { id: 'ND-123-456-789', chain: 'evm', protocols: ['evm', 'beacon', 'jetton', 'grpc'] }

it.each([
  ['http://127.0.0.1:8645', undefined, 'http://127.0.0.1:8645'],
  ['https://fairlead.example', undefined, 'https://fairlead.example'],
  ['https://fairlead.example/nodes', undefined, 'https://fairlead.example/nodes'],
  ['https://fairlead.example', 'nodes.example', 'https://nd-123-456-789.nodes.example'],
  ['http://[::1]:8645', 'nodes.example', 'http://nd-123-456-789.nodes.example:8645'],
])('are below %s and %s', (base, nodeDomain, expected) => {
  const { grpc, ...details } = nodeDetails(protocols, node, { base, nodeDomain })
  const socket = expected.replace('http', 'ws')
  expect(details).toEqual({
    https: `${expected}/{token}`,
    wss: `${socket}/ws/{token}`,
    beacon: `${expected}/beacon/{token}`,
    api_v2: `${expected}/{token}/api/v2`,
    api_v3: `${expected}/{token}/api/v3`,
  })
  // gRPC does not support a path prefix.
  expect(grpc).toBe(new URL(expected).origin)
})

it('contain a token placeholder and the path of the chain', () => {
  const fast = { ...node, chain: 'high-throughput', protocols: ['evm'] }
  expect(
    nodeDetails(protocols, fast, { base: 'https://f.example', nodeDomain: undefined }, 's3cr3t'),
  ).toEqual({
    https: 'https://f.example/s3cr3t/evm',
    wss: 'wss://f.example/ws/s3cr3t/evm',
  })
})
