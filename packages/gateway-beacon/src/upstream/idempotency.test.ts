import type { Route } from '@fairlead/core'
import { routes } from '@fairlead/beacon/contract'
import { expect, test } from 'vitest'
import { legacyOperations } from '../operations/legacy-operations.ts'
import { isRepeatable } from './idempotency.ts'

test('of what is posted only the reads may be sent twice', () => {
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

test('whatever is asked for with GET may be sent twice', () => {
  expect(isRepeatable({ method: 'GET', operationId: 'produceBlockV3' })).toBe(true)
})
