import { expect, test } from 'vitest'
import { type CacheRule, lasts, cacheRuleOf, mayLast } from './cacheable-response.ts'

const root = `0x${'ab'.repeat(32)}`
const acceptable = ['application/json']
const forEver: CacheRule = { mustBeFinal: true }
const short: CacheRule = { lifeMs: 60_000, mustBeFinal: true }
const constant: CacheRule = { lifeMs: 60_000, mustBeFinal: false }

test.each([
  ['/eth/v1/beacon/genesis', constant],
  ['/eth/v1/config/spec', constant],
  ['/eth/v1/config/deposit_contract', constant],
  ['/eth/v1/config/fork_schedule', constant],
  [`/eth/v2/beacon/blocks/${root}`, forEver],
  [`/eth/v2/beacon/blocks/${root}?x=1`, forEver],
  [`/eth/v1/beacon/blocks/${root}/root`, forEver],
  [`/eth/v2/beacon/blocks/${root}/attestations`, forEver],
  [`/eth/v1/beacon/headers/${root.toUpperCase().replace('X', 'x')}`, forEver],
  [`/eth/v1/beacon/blinded_blocks/${root}`, forEver],
  [`/eth/v1/beacon/blobs/${root}`, forEver],
  [`/eth/v1/beacon/rewards/blocks/${root}`, forEver],
  [`/eth/v1/beacon/states/${root}/validators/7`, forEver],
  [`/eth/v1/beacon/states/${root}/committees?epoch=3`, forEver],
  ['/eth/v2/beacon/blocks/1234', short],
  ['/eth/v1/beacon/states/1234/root', short],
  ['/eth/v1/beacon/states/genesis/root', short],
  ['/eth/v1/beacon/states/head/root', undefined],
  ['/eth/v1/beacon/states/finalized/root', undefined],
  ['/eth/v1/beacon/states/justified/root', undefined],
  ['/eth/v2/beacon/blocks/head', undefined],
  ['/eth/v1/beacon/headers', undefined],
  [`/eth/v1/beacon/headers?parent_root=${root}`, undefined],
  [`/eth/v1/beacon/states/${root.slice(0, 60)}/root`, undefined],
  [`/eth/v2/debug/beacon/states/${root}`, undefined],
  [`/eth/v1/debug/beacon/data_column_sidecars/${root}`, undefined],
  [`/eth/v1/beacon/blob_sidecars/${root}`, undefined],
  [`/eth/v1/beacon/light_client/bootstrap/${root}`, undefined],
  ['/eth/v1/node/syncing', undefined],
  ['/eth/v1/node/version', undefined],
  ['/eth/v1/validator/duties/proposer/3', undefined],
])('GET %s', (target, rule) => {
  expect(cacheRuleOf({ method: 'GET', target, acceptable })).toEqual(rule)
})

test('nothing lasts of which nobody knows the form', () => {
  const target = `/eth/v1/beacon/blocks/${root}/attestations`
  expect(cacheRuleOf({ method: 'GET', target, acceptable: [] })).toBeUndefined()
})

test('nothing that is posted lasts', () => {
  const target = `/eth/v1/beacon/states/${root}/validators`
  expect(cacheRuleOf({ method: 'POST', target, acceptable })).toBeUndefined()
})

const json = { 'content-type': 'application/json; charset=utf-8' }
const ssz = {
  'content-type': 'application/octet-stream',
  'content-length': '96',
  'eth-consensus-finalized': 'true',
  'eth-execution-optimistic': 'false',
}

test.each([
  [200, json, forEver, true],
  [200, { ...json, 'content-length': '1048576' }, forEver, true],
  [200, { ...json, 'content-length': '1048577' }, forEver, false],
  [200, { ...json, 'content-encoding': 'gzip' }, forEver, false],
  [206, json, forEver, false],
  [204, json, forEver, false],
  [202, json, constant, false],
  [200, ssz, forEver, true],
  [200, { ...ssz, 'content-length': undefined }, forEver, false],
  [200, { ...ssz, 'eth-consensus-finalized': 'false' }, forEver, false],
  [200, { ...ssz, 'eth-consensus-finalized': undefined }, forEver, false],
  [200, { ...ssz, 'eth-execution-optimistic': 'true' }, forEver, false],
  [200, { ...ssz, 'eth-execution-optimistic': undefined }, forEver, false],
  [200, ssz, constant, false],
  [200, { 'content-type': 'text/html' }, constant, false],
])('the head of an answer: %i %o %o', (status, headers, rule, expected) => {
  const answer = { status, headers, body: undefined as never }
  expect(mayLast(answer, rule)).toBe(expected)
})

test.each([
  [{ data: {}, finalized: true, execution_optimistic: false }, true],
  [{ finalized: true, execution_optimistic: false, data: { finalized: false } }, true],
  [{ data: {}, finalized: false, execution_optimistic: false }, false],
  [{ data: {}, finalized: true, execution_optimistic: true }, false],
  [{ data: {}, finalized: true }, false],
  [{ data: {}, execution_optimistic: false }, false],
  [{ data: { finalized: true, execution_optimistic: false } }, false],
  [{ data: {}, finalized: 'true', execution_optimistic: false }, false],
  [{ finalized: true, execution_optimistic: false }, false],
  [[{ data: {}, finalized: true, execution_optimistic: false }], false],
  [null, false],
])('%j is final: %s', (answer, expected) => {
  expect(lasts(json, Buffer.from(JSON.stringify(answer)), forEver)).toBe(expected)
  expect(lasts(json, Buffer.from(JSON.stringify(answer, null, 2)), forEver)).toBe(expected)
})

test('what is no whole JSON does not last', () => {
  expect(lasts(json, Buffer.from('{"finalized":true,"execution_optimistic":false,"data":'), forEver)).toBe(
    false,
  )
  expect(lasts(json, Buffer.from('{"data":{}'), constant)).toBe(false)
  expect(lasts(json, Buffer.from('{"data":{}}'), constant)).toBe(true)
})
