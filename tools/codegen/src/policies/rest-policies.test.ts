import { describe, expect, it } from 'vitest'
import { restPolicies } from './rest-policies.ts'
import { rpcPolicies } from './rpc-policies.ts'

const cost = { units: 1, isExpensive: false }

function ofOperation(verb: string, policy: object | undefined, kind: 'cached' | 'without cache' = 'cached') {
  const operation = { operationId: 'getBlock', 'x-gateway': policy }
  return restPolicies({ paths: { '/blocks/{block_id}': { [verb]: operation } } }, 'typeof routes', '', kind)
}

describe('restPolicies', () => {
  it('derives when a call may be sent again from the HTTP method', () => {
    const none = { kind: 'none' }
    expect(ofOperation('get', { cost, cache: none })).toContain('resending: "always"')
    expect(ofOperation('post', { cost, cache: none })).toContain('resending: "unseen"')
    expect(ofOperation('post', { cost, cache: none, resend: 'always' })).toContain('resending: "always"')
    expect(ofOperation('get', { cost, cache: { kind: 'resource', param: 'block_id' } })).toContain(
      'cache: { kind: "resource", param: "block_id" }',
    )
    expect(ofOperation('get', { cost }, 'without cache')).not.toContain('cache')
  })

  it.each<[string, string, object | undefined]>([
    ['get', 'x-gateway is missing', undefined],
    ['get', `x-gateway must have required property 'cache'`, { cost }],
    [
      'get',
      'x-gateway.resend must be omitted, as the HTTP method implies always',
      { cost, cache: { kind: 'none' }, resend: 'always' },
    ],
    [
      'post',
      'x-gateway.cache.kind must be none for an operation other than GET',
      { cost, cache: { kind: 'constant' } },
    ],
    [
      'get',
      'x-gateway.cache.param must name a path parameter, but slot is none',
      { cost, cache: { kind: 'resource', param: 'slot' } },
    ],
  ])('rejects a policy of %s with: %s', (verb, message, policy) => {
    expect(() => ofOperation(verb, policy)).toThrow(`getBlock: ${message}`)
  })

  it('rejects a cache rule for an API that is not cached', () => {
    expect(() => ofOperation('get', { cost, cache: { kind: 'none' } }, 'without cache')).toThrow(
      'getBlock: x-gateway.cache is not a field',
    )
  })
})

describe('rpcPolicies', () => {
  it('derives when a call may be sent again from x-idempotent', () => {
    const method = (name: string, more: object) => ({
      name,
      params: [],
      result: { schema: {} },
      'x-gateway': { cost },
      ...more,
    })
    const methods = [method('read', {}), method('send', { 'x-idempotent': false })]
    expect(rpcPolicies({ methods }, 'typeof methods', '')).toContain(`= {
  read: {
    cost: { units: 1, isExpensive: false },
    resending: "always",
  },
  send: {
    cost: { units: 1, isExpensive: false },
    resending: "unseen",
  },
}`)
    expect(() => rpcPolicies({ methods: [method('read', { 'x-gateway': {} })] }, '', '')).toThrow(
      `read: x-gateway must have required property 'cost'`,
    )
  })
})
