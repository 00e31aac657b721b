import { readFileSync } from 'node:fs'
import { chains, methods } from '@fairlead/evm-rpc/contract'
import { describe, expect, it } from 'vitest'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { adapters } from '../adapters/adapters.ts'
import type { RpcRequest } from '@fairlead/gateway-core/json-rpc/types'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { availableMethod, findMethod } from './available-methods.ts'
import { resolveMethod } from './resolve-method.ts'

const grantOf = (chain: string, withheldMethods?: readonly string[]): Grant => ({
  credentialId: 'credential',
  kind: 'token',
  nodeId: 'node',
  projectId: 'project',
  organizationId: 'organization',
  chain,
  network: 'devnet',
  protocols: ['evm'],
  upstreams: {},
  withheldMethods,
})

const available = (name: string, grant: Grant, endpoint: '' | 'evm') =>
  availableMethod(name, findMethod(name), grant, endpoint).method

const system = 'eth_getSystemTxsByBlockHash'

function rejection(action: () => unknown): { readonly code: number; readonly message: string } {
  try {
    action()
  } catch (error) {
    if (error instanceof RpcError) return { code: error.code, message: error.message }
  }
  throw new Error('There was no rejection.')
}

describe('availableMethod', () => {
  it('returns the methods of the chain of the node', () => {
    for (const [name, { methods: offered }] of Object.entries(chains)) {
      for (const method of offered) expect(available(method, grantOf(name), '').name).toBe(method)
    }
  })

  it('prefers the chain of the URL to the chain of the node', () => {
    const grant = grantOf('ethereum')
    expect(rejection(() => available(system, grant, ''))).toEqual({
      code: -32601,
      message: `This node does not offer ${system}.`,
    })
    expect(available(system, grant, 'evm').name).toBe(system)
  })

  it('treats an unknown chain as a generic EVM chain', () => {
    expect(available(system, grantOf('somewhere'), '').name).toBe(system)
    expect(available(system, grantOf('toString'), '').name).toBe(system)
  })

  it('distinguishes a nonexistent method from one that this node does not offer', () => {
    expect(rejection(() => available('eth_nothing', grantOf('evm'), ''))).toEqual({
      code: -32601,
      message: 'The method eth_nothing does not exist.',
    })
    for (const name of ['__proto__', 'constructor']) {
      expect(rejection(() => available(name, grantOf('evm'), '')).code).toBe(-32601)
    }
    for (const name of ['', 'a\nb', 'eth_'.repeat(20), '<b>', 'c0ffee'.repeat(5)]) {
      const { message } = rejection(() => available(name, grantOf('evm'), ''))
      expect(message).toBe('The method does not exist.')
    }
  })

  it('rejects a method that the node does not offer, unless an adapter can derive it', () => {
    const rejectionWithout = (name: string, withheld: readonly string[]) =>
      rejection(() => available(name, grantOf('evm', withheld), ''))
    expect(rejectionWithout('eth_getProof', ['eth_getProof']).message).toBe(
      'This node does not offer eth_getProof.',
    )
    expect(available('eth_getProof', grantOf('evm', ['eth_call']), '').name).toBe('eth_getProof')
    const many = 'debug_traceCallMany'
    expect(available(many, grantOf('evm', [many]), '').name).toBe(many)
    expect(rejectionWithout(many, [many, 'debug_traceCall']).code).toBe(-32601)
    expect(available('eth_accounts', grantOf('evm', ['eth_accounts']), '').name).toBe('eth_accounts')
  })
})

describe('resolveMethod', () => {
  const resolved = (request: RpcRequest) => {
    const client = { grant: grantOf('evm'), endpoint: '' } as const
    const unresolved = { adapter: undefined, params: [], paramsText: '' }
    const call = { ...client, ...unresolved, request, found: findMethod(request.method) }
    resolveMethod(call)
    return call
  }

  it('rejects subscriptions over HTTP and names the WebSocket', () => {
    const request = { method: 'eth_subscribe', params: ['newHeads'], paramsText: '["newHeads"]', idText: '1' }
    expect(rejection(() => resolved(request))).toEqual({
      code: -32601,
      message: 'eth_subscribe is available only over WebSocket.',
    })
  })

  it('appends defaults to the params, for the node and for adapters', () => {
    const request = { method: 'eth_getBalance', params: ['0x1'], paramsText: '[ "0x1"]', idText: '1' }
    expect(resolved(request)).toMatchObject({
      params: ['0x1', 'latest'],
      paramsText: '[ "0x1","latest"]',
    })
  })
})

describe('the adapters', () => {
  it('belong to methods of the specification', () => {
    const names = Object.keys(methods)
    expect(Object.keys(adapters).filter((name) => !names.includes(name))).toEqual([])
    const needed = Object.values(adapters).flatMap(({ derivedFrom = [] }) => derivedFrom)
    expect(needed.filter((name) => !names.includes(name))).toEqual([])
  })
  it('are listed in the documentation, by name, prefix or suffix', () => {
    const page = readFileSync(new URL('../../../../docs/reference/adapters.md', import.meta.url), 'utf8')
    const [, table = ''] = page.split('## Methods')
    const listed = [...table.matchAll(/`(…?)(\w+)(…?)`/g)].map(([, before, name = '', after]) => ({
      name,
      fits: (method: string) =>
        before ? method.endsWith(name) : after ? method.startsWith(name) : method === name,
    }))
    const missing = Object.keys(adapters).filter((method) => !listed.some(({ fits }) => fits(method)))
    expect(missing).toEqual([])
  })
})
