import { expect, test } from 'vitest'
import { findBeaconOperation } from '../operations/operations.ts'
import { type CacheRule, isCacheable, cacheRuleOf, mayBeCacheable } from './cacheable-response.ts'

const root = `0x${'ab'.repeat(32)}`
const unlimited: CacheRule = { mustBeFinal: true, isByRoot: true }
const short: CacheRule = { ttlMs: 60_000, mustBeFinal: true, isByRoot: false }
const constant: CacheRule = { ttlMs: 60_000, mustBeFinal: false, isByRoot: false }

test.each([
  ['/eth/v1/beacon/genesis', constant],
  ['/eth/v1/config/spec', constant],
  ['/eth/v1/config/deposit_contract', constant],
  ['/eth/v1/config/fork_schedule', constant],
  [`/eth/v2/beacon/blocks/${root}`, unlimited],
  [`/eth/v2/beacon/blocks/${root}?x=1`, unlimited],
  [`/eth/v1/beacon/blocks/${root}/root`, unlimited],
  [`/eth/v2/beacon/blocks/${root}/attestations`, unlimited],
  [`/eth/v1/beacon/headers/${root.toUpperCase().replace('X', 'x')}`, unlimited],
  [`/eth/v1/beacon/blinded_blocks/${root}`, unlimited],
  [`/eth/v1/beacon/blobs/${root}`, unlimited],
  [`/eth/v1/beacon/rewards/blocks/${root}`, unlimited],
  [`/eth/v1/beacon/states/${root}/validators/7`, unlimited],
  [`/eth/v1/beacon/states/${root}/committees?epoch=3`, unlimited],
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
  const [path = ''] = target.split('?', 1)
  expect(cacheRuleOf(findBeaconOperation('GET', path))).toEqual(rule)
})

test('a response of an unknown format is not cacheable', () => {
  const target = `/eth/v1/beacon/blocks/${root}/attestations`
  expect(cacheRuleOf(findBeaconOperation('GET', target))).toBeUndefined()
})

test('the response to a POST is not cacheable', () => {
  const target = `/eth/v1/beacon/states/${root}/validators`
  expect(cacheRuleOf(findBeaconOperation('POST', target))).toBeUndefined()
})

const json = { 'content-type': 'application/json; charset=utf-8' }
const ssz = {
  'content-type': 'application/octet-stream',
  'content-length': '96',
  'eth-consensus-finalized': 'true',
  'eth-execution-optimistic': 'false',
}

test.each([
  [200, json, unlimited, true],
  [200, { ...json, 'content-length': '1048576' }, unlimited, true],
  [200, { ...json, 'content-length': '1048577' }, unlimited, false],
  [200, { ...json, 'content-encoding': 'gzip' }, unlimited, false],
  [206, json, unlimited, false],
  [204, json, unlimited, false],
  [202, json, constant, false],
  [200, ssz, unlimited, true],
  [200, { ...ssz, 'content-length': undefined }, unlimited, false],
  [200, { ...ssz, 'eth-consensus-finalized': 'false' }, unlimited, false],
  [200, { ...ssz, 'eth-consensus-finalized': undefined }, unlimited, false],
  [200, { ...ssz, 'eth-execution-optimistic': 'true' }, unlimited, false],
  [200, { ...ssz, 'eth-execution-optimistic': undefined }, unlimited, false],
  [200, ssz, constant, false],
  [200, { 'content-type': 'text/html' }, constant, false],
])('cacheability by status and headers: %i %o %o', (status, headers, rule, expected) => {
  const response = { status, headers, body: undefined as never }
  expect(mayBeCacheable(response, rule)).toBe(expected)
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
])('%j is final: %s', (body, expected) => {
  expect(isCacheable(json, Buffer.from(JSON.stringify(body)), unlimited)).toBe(expected)
  expect(isCacheable(json, Buffer.from(JSON.stringify(body, null, 2)), unlimited)).toBe(expected)
})

test('incomplete JSON is not cacheable', () => {
  expect(
    isCacheable(json, Buffer.from('{"finalized":true,"execution_optimistic":false,"data":'), unlimited),
  ).toBe(false)
  expect(isCacheable(json, Buffer.from('{"data":{}'), constant)).toBe(false)
  expect(isCacheable(json, Buffer.from('{"data":{}}'), constant)).toBe(true)
})
