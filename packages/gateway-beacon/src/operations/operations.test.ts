import type { Route } from '@fairlead/core'
import { routes } from '@fairlead/beacon/contract'
import { describe, expect, it } from 'vitest'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import { findBeaconOperation } from './operations.ts'
import { legacyOperations } from './legacy-operations.ts'

function failure(method: string, path: string): RestError {
  try {
    findBeaconOperation(method, path)
  } catch (error) {
    if (error instanceof RestError) return error
  }
  throw new Error('It was found.')
}

describe('findBeaconOperation', () => {
  it.each(Object.values<Route>(routes))('finds $method $path of the contract', (route) => {
    const path = route.path.replaceAll(/\{(\w+)\}/g, 'value-of-$1')
    const { operationId, pathValues } = findBeaconOperation(route.method, path)
    expect(operationId).toBe(route.operationId)
    const names = Object.keys(route.pathParameters)
    expect(pathValues).toEqual(Object.fromEntries(names.map((name) => [name, `value-of-${name}`])))
    expect(findBeaconOperation(route.method, `${path}/`).route).toBe(route)
  })

  it.each(legacyOperations)('finds $method $path of earlier releases', ({ method, path, operationId }) => {
    const operation = findBeaconOperation(method, path.replaceAll(/\{(\w+)\}/g, '1'))
    expect(operation).toMatchObject({ operationId, route: undefined })
  })

  it('resolves HEAD to GET', () => {
    expect(findBeaconOperation('HEAD', '/eth/v1/node/health').operationId).toBe('getHealth')
  })

  it('decodes parameters', () => {
    const { pathValues } = findBeaconOperation('GET', '/eth/v1/node/peers/16Uiu%2BHA%C3%A9')
    expect(pathValues).toEqual({ peer_id: '16Uiu+HAé' })
  })

  it.each([
    '',
    '/',
    '/eth',
    '/eth/v1',
    '/eth/v1/node',
    '/eth/v1/node/nothing',
    '/eth/v1/node/health/x',
    '/eth/v1/node/health//',
    '//eth/v1/node/health',
    '/eth/v1//node/health',
    '/ETH/v1/node/health',
    '/eth/v1/node/../node/health',
    '/eth/v1/beacon/states//root',
    '/eth/v9/beacon/blocks',
    '/lighthouse/health',
  ])('rejects the unknown path %j', (path) => {
    expect(failure('GET', path)).toMatchObject({ status: 404 })
  })

  it.each([
    ['POST', '/eth/v1/node/health', 'GET, HEAD, OPTIONS'],
    ['GET', '/eth/v2/beacon/blocks', 'POST, OPTIONS'],
    ['DELETE', '/eth/v2/beacon/pool/attestations', 'GET, HEAD, POST, OPTIONS'],
    ['HEAD', '/eth/v1/validator/liveness/1', 'POST, OPTIONS'],
  ])('rejects %s %s', (method, path, allow) => {
    const { status, headers } = failure(method, path)
    expect(status).toBe(405)
    expect(headers['allow']?.split(', ').toSorted()).toEqual(allow.split(', ').toSorted())
  })

  it.each([
    '.',
    '..',
    '%2e',
    '%2E%2e',
    'a%2fb',
    '..%2f..%2fadmin',
    'a%5cb',
    'a\\b',
    'a#b',
    'a%0ab',
    '%',
    '%zz',
    '%ff',
    'ü',
    'a b',
  ])('rejects the segment %j, which could resolve to another path', (segment) => {
    expect(failure('GET', `/eth/v1/node/peers/${segment}`)).toMatchObject({
      status: 400,
      message: 'The path parameter peer_id must be a single path segment.',
    })
  })
})

it('may be sent again when it reads, also by POST', () => {
  const posted = [...Object.values<Route>(routes), ...legacyOperations].filter(
    ({ method }) => method === 'POST',
  )
  const policyOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
    findBeaconOperation(method, path.replaceAll(/\{(\w+)\}/g, '1')).policy
  const repeatable = posted.filter((operation) => policyOf(operation).resending === 'always')
  expect(repeatable.map(({ operationId }) => operationId).toSorted()).toEqual([
    'getAttestationsRewards',
    'getAttesterDuties',
    'getLiveness',
    'getPtcDuties',
    'getStateBuilders',
    'getSyncCommitteeDuties',
    'getSyncCommitteeRewards',
    'postStateValidatorBalances',
    'postStateValidatorIdentities',
    'postStateValidators',
  ])
  expect(policyOf({ method: 'GET', path: '/eth/v3/validator/blocks/{slot}' }).resending).toBe('always')
})
