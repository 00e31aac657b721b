import { describe, expect, it } from 'vitest'
import { evmPolicies } from './evm-policies.ts'

const filter = { type: 'object', properties: { fromBlock: {}, toBlock: {} } }
const params = {
  block: { name: 'block', schema: { $ref: '#/components/schemas/Block' } },
  filter: { name: 'filter', schema: { allOf: [{ $ref: '#/components/schemas/Filter' }] } },
}
const row = {
  latencyClass: 'short',
  cost: { units: 1, isExpensive: false },
  role: 'full',
  cache: { kind: 'none' },
  probe: 'sample',
}

function generated(policy: object | undefined, method: object = {}) {
  return evmPolicies({
    openrpc: '1.3.2',
    components: { schemas: { Block: { type: 'string' }, Filter: filter } },
    methods: [{ name: 'eth_read', params: [], result: { schema: {} }, 'x-gateway': policy, ...method }],
  })
}

const ofBlock = { params: [params.block] }
const ofFilter = { params: [params.filter] }
const changing = { 'x-idempotent': false }

describe('evmPolicies', () => {
  it('generates every field of a policy', () => {
    const cache = { kind: 'block', isShared: true }
    const policy = { ...row, blocks: { lowest: 'block', highest: 'block' }, cache }
    expect(generated(policy, ofBlock)).toContain(`= {
  eth_read: {
    latencyClass: "short",
    cost: { units: 1, isExpensive: false },
    role: "full",
    lowestBlock: { param: 0, field: undefined },
    highestBlock: { param: 0, field: undefined },
    cache: { ttl: { kind: "block", param: 0 }, isShared: true },
    resending: "always",
    filter: undefined,
    probe: "sample",
  },
}`)
  })

  it('finds a block in a field of a parameter', () => {
    const blocks = { lowest: 'filter.fromBlock', highest: 'filter.toBlock' }
    expect(generated({ ...row, blocks, cache: { kind: 'logs' } }, ofFilter)).toContain(
      'lowestBlock: { param: 0, field: "fromBlock" }',
    )
  })

  it.each<[string, object | undefined, object?]>([
    ['x-gateway is missing', undefined],
    ['x-gateway.latencyClass must be one of short, long', { ...row, latencyClass: 'quick' }],
    [`x-gateway must have required property 'cost'`, { ...row, cost: undefined }],
    ['x-gateway.cost.units must be >= 1', { ...row, cost: { units: 0, isExpensive: false } }],
    ['x-gateway.priority is not a field', { ...row, priority: 1 }],
    ['x-gateway.cache must be object', { ...row, cache: 'never' }],
    ['x-gateway.probe must match pattern "^(sample|none)$"', { ...row, probe: 'later' }],
    ['x-gateway.cache value of tag "kind" must be in oneOf', { ...row, cache: { kind: 'forever' } }],
    [`x-gateway.cache must have required property 'ms'`, { ...row, cache: { kind: 'chain' } }],
    [
      'x-gateway.cache.kind must be none for a method that is not idempotent',
      { ...row, cache: { kind: 'head' }, probe: 'none' },
      changing,
    ],
    [
      'x-gateway.cache.kind must not be block without a parameter in blocks.highest',
      { ...row, cache: { kind: 'block' } },
    ],
    [
      'x-gateway.cache.kind must not be logs without a log filter as first parameter in blocks',
      { ...row, cache: { kind: 'logs' } },
    ],
    ['x-gateway.blocks is required for a method with the parameter block', row, ofBlock],
    [
      'x-gateway.blocks.lowest must name a parameter, but number is none',
      { ...row, blocks: { lowest: 'number' } },
    ],
    [
      'x-gateway.blocks.highest must name a field of filter, but number is none',
      { ...row, blocks: { highest: 'filter.number' } },
      ofFilter,
    ],
    ['x-gateway.resend must be omitted, as x-idempotent implies always', { ...row, resend: 'always' }],
    ['x-gateway.probe must be none or harmless params for a method that is not idempotent', row, changing],
    [
      'x-gateway.probe.cleanUp must name a method, but eth_remove is none',
      { ...row, probe: { params: [], cleanUp: 'eth_remove' } },
    ],
  ])('rejects with: %s', (message, policy, method) => {
    expect(() => generated(policy, method)).toThrow(`eth_read: ${message}`)
  })
})
