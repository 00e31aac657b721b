import { routes } from '@fairlead/beacon/contract'
import type { Route } from '@fairlead/core'
import { describe, expect, it } from 'vitest'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import { findBeaconOperation } from './operations.ts'
import { checkBeaconParameters, repeatKeys } from './parameters.ts'

function rejection(method: string, target: string, headers: Record<string, string> = {}) {
  const [path = '', query = ''] = target.split('?')
  try {
    checkBeaconParameters(findBeaconOperation(method, path), query, headers)
  } catch (error) {
    if (error instanceof RestError) return { status: error.status, message: error.message }
    throw error
  }
  return undefined
}

const root = `0x${'ab'.repeat(32)}`
const pubkey = `0x${'cd'.repeat(48)}`
const ids = (count: number) => Array.from({ length: count }, (_, id) => `id=${id}`).join('&')

describe('checkBeaconParameters', () => {
  it.each(Object.values<Route>(routes))(
    'validates $operationId and reports missing required parameters',
    (route) => {
      const needed = [route.query, route.headers ?? {}].flatMap((parameters) =>
        Object.entries(parameters).flatMap(([name, { required }]) => (required ? [name] : [])),
      )
      const fullQuery = Object.keys(route.query)
        .map((name) => `${name}=x`)
        .join('&')
      const pathValues = Object.fromEntries(Object.keys(route.pathParameters).map((name) => [name, '1']))
      const { policy } = findBeaconOperation(route.method, route.path.replaceAll(/\{(\w+)\}/g, '1'))
      const operation = { operationId: route.operationId, route, policy, pathValues }
      for (const query of ['', fullQuery]) {
        try {
          checkBeaconParameters(operation, query, {})
          if (query === '') expect(needed).toEqual([])
        } catch (error) {
          if (!(error instanceof RestError)) throw error
          if (query === '')
            expect(error.message).toMatch(new RegExp(`(${needed.join('|')}) is required|path parameter`))
        }
      }
    },
  )

  it.each([
    ['GET', '/eth/v1/beacon/states/head/root'],
    ['GET', '/eth/v1/beacon/states/justified/fork'],
    ['GET', `/eth/v1/beacon/states/${root}/fork`],
    ['GET', '/eth/v1/beacon/states/18446744073709551615/fork'],
    ['GET', `/eth/v1/beacon/states/head/validators?id=1&id=${pubkey}&status=active&status=exited_slashed`],
    ['GET', `/eth/v1/beacon/states/head/validators?${ids(64)}`],
    ['GET', `/eth/v1/beacon/states/head/validators/${pubkey}`],
    ['GET', '/eth/v1/node/peers?state=connected&direction=inbound'],
    ['GET', '/eth/v1/node/health?syncing_status=299'],
    ['GET', '/eth/v1/events?topics=head&topics=finalized_checkpoint'],
    ['GET', `/eth/v1/beacon/headers?slot=1&parent_root=${root}&unknown=1&unknown=2`],
    ['GET', `/eth/v3/validator/blocks/1?randao_reveal=0x${'12'.repeat(96)}&skip_randao_verification`],
    ['GET', `/eth/v4/validator/blocks/1?randao_reveal=0x${'12'.repeat(96)}&include_payload=true`],
  ])('accepts %s %s', (method, target) => {
    expect(rejection(method, target)).toBeUndefined()
  })

  it.each([
    ['/eth/v1/beacon/states/top/root', 'The path parameter state_id must match'],
    ['/eth/v1/beacon/states/-1/root', 'The path parameter state_id must match'],
    ['/eth/v1/beacon/states/0xab/root', 'The path parameter state_id must match'],
    ['/eth/v2/beacon/blocks/justified', 'The path parameter block_id must match'],
    ['/eth/v1/validator/duties/proposer/one', 'The path parameter epoch must match'],
    ['/eth/v1/beacon/headers?slot=', 'The query parameter slot must match'],
    ['/eth/v1/beacon/headers?slot=0x1', 'The query parameter slot must match'],
    ['/eth/v1/beacon/headers?slot=1&slot=2', 'The query parameter slot must be given once.'],
    [
      '/eth/v1/beacon/states/head/validators?id=1&id=1',
      'The query parameter id must not contain duplicate values.',
    ],
    ['/eth/v1/beacon/states/head/validators?status=asleep', 'The query parameter status must be one of'],
    ['/eth/v1/node/peers?state=lost', 'The query parameter state must be one of disconnected, connecting'],
    ['/eth/v1/node/health?syncing_status=99', 'The query parameter syncing_status must be at least 100.'],
    [
      '/eth/v1/node/health?syncing_status=ok',
      'The query parameter syncing_status must be an integer, not a string.',
    ],
    ['/eth/v1/validator/attestation_data', 'The query parameter slot is required.'],
    ['/eth/v1/events', 'The query parameter topics is required.'],
    [
      `/eth/v3/validator/blocks/1?randao_reveal=0x${'12'.repeat(96)}&skip_randao_verification=yes`,
      'The query parameter skip_randao_verification must NOT have more than 0 characters.',
    ],
    [`/eth/v4/validator/blocks/1?randao_reveal=0x${'12'.repeat(96)}&include_payload=1`, 'must be a boolean'],
  ])('rejects %s', (target, message) => {
    expect(rejection('GET', target)).toEqual({ status: 400, message: expect.stringContaining(message) })
  })

  it('responds 414 when there are too many ids', () => {
    expect(rejection('GET', `/eth/v1/beacon/states/head/validators?${ids(65)}`)).toEqual({
      status: 414,
      message: 'The query parameter id must NOT have more than 64 items.',
    })
  })

  it.each([
    [{}, 'The header Eth-Consensus-Version is required.'],
    [
      { 'eth-consensus-version': 'byzantium' },
      'The header Eth-Consensus-Version must be one of phase0, altair',
    ],
  ])('reads the fork of a block from the header: %j', (headers, message) => {
    const target = '/eth/v2/beacon/blocks'
    expect(rejection('POST', target, headers)).toEqual({
      status: 400,
      message: expect.stringContaining(message),
    })
    expect(rejection('POST', target, { 'eth-consensus-version': 'fulu' })).toBeUndefined()
  })

  it('never repeats a value in an error', () => {
    const target = '/eth/v1/beacon/states/s3cr3t/root'
    expect(JSON.stringify(rejection('GET', target))).not.toContain('s3cr3t')
  })
})

describe('repeatKeys', () => {
  it.each([
    ['/eth/v1/events', 'topics=head,block', 'topics=head&topics=block'],
    [
      '/eth/v1/events',
      'topics=head%2Cblock&topics=chain_reorg',
      'topics=head&topics=block&topics=chain_reorg',
    ],
    ['/eth/v1/beacon/states/head/validators', 'id=1,2&status=active', 'id=1&id=2&status=active'],
    ['/eth/v1/events', 'topics=head&topics=block', 'topics=head&topics=block'],
    // A comma has no meaning in a value that is not a list, or in a parameter that the contract does not define.
    ['/eth/v1/beacon/headers', 'slot=1,2', 'slot=1%2C2'],
    ['/eth/v1/beacon/headers', 'more=1,2', 'more=1%2C2'],
  ])('%s?%s', (path, query, repeated) => {
    expect(repeatKeys(findBeaconOperation('GET', path), query)).toBe(repeated)
  })
})
