import type { Route } from '@fairlead/core'
import { routes } from '@fairlead/beacon/contract'
import { expect, test } from 'vitest'
import { legacyOperations } from '../operations/legacy-operations.ts'
import { isRepeatable } from './idempotency.ts'

test('of the POST operations, only reads are repeatable', () => {
  const posted = [...Object.values<Route>(routes), ...legacyOperations].filter(
    ({ method }) => method === 'POST',
  )
  const repeatable = posted.filter((operation) => isRepeatable({ ...operation, method: 'POST' }))
  expect(new Set(repeatable.map(({ operationId }) => operationId))).toEqual(
    new Set([
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
    ]),
  )
  expect(posted.length).toBeGreaterThan(repeatable.length)
})

test('GET operations are repeatable', () => {
  expect(isRepeatable({ method: 'GET', operationId: 'produceBlockV3' })).toBe(true)
})
