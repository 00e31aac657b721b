import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { blockOfCall } from './block-of-call.ts'
import { methodTable } from '../methods/method-table.ts'
import { canonicalParams } from './cache-key.ts'
import type { CacheRule, Ttl } from './cache-rule.ts'

const page = readFileSync(new URL('../../../../docs/reference/caching.md', import.meta.url), 'utf8')

/** Returns the wording of the documentation page. */
function describeTtl({ ttl }: CacheRule): string {
  switch (ttl.kind) {
    case 'params':
      return 'until evicted'
    case 'chain':
      return `for ${ttl.ms / 1_000} seconds`
    case 'block':
      return `until evicted, when the block in param ${ttl.param + 1} is a number and finalized`
    case 'self-describing':
      return `until evicted, when \`${ttl.field}\` in the response is finalized`
    case 'logs':
      return 'until evicted, when the range has block numbers well below the finalized block'
    case 'head':
      return 'with `cacheHeadMs`, while the latest block does not change'
    case 'uncacheable':
      return 'no'
    default:
      return ttl satisfies never
  }
}

const rulesOfPage = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => {
    const [methods = '', ttl, isShared] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    return [...methods.matchAll(/`(\w+)`/g)].map(([, method]) => `${method}: ${ttl}, ${isShared}`)
  })

it('is on the reference page for each method that has one', () => {
  const rules = [...methodTable].flatMap(([name, { policy }]) =>
    policy.cache ? [`${name}: ${describeTtl(policy.cache)}, ${policy.cache.isShared ? 'yes' : 'no'}`] : [],
  )
  expect(rules.length).toBeGreaterThan(70)
  expect(rulesOfPage.toSorted()).toEqual(rules.toSorted())
})

const block: Ttl = { kind: 'block', param: 0 }
const logs: Ttl = { kind: 'logs' }

it.each([
  [block, ['0x10'], { kind: 'number', number: 16 }],
  [block, [{ blockNumber: '0x10' }], { kind: 'number', number: 16 }],
  [block, ['latest'], { kind: 'head' }],
  [block, ['finalized'], { kind: 'head' }],
  [block, [{ blockNumber: '0x10', requireCanonical: true }], { kind: 'unknown' }],
  [block, [{ blockHash: `0x${'ab'.repeat(32)}` }], { kind: 'unknown' }],
  [block, [`0x${'ab'.repeat(32)}`], { kind: 'unknown' }],
  [block, ['earliest'], { kind: 'unknown' }],
  [block, ['pending'], { kind: 'unknown' }],
  [block, ['0x010'], { kind: 'unknown' }],
  [block, [16], { kind: 'unknown' }],
  [logs, [{ fromBlock: '0x1', toBlock: '0x2' }], { kind: 'number', number: 2 }],
  [logs, [{ fromBlock: '0x3', toBlock: '0x2' }], { kind: 'unknown' }],
  [logs, [{ toBlock: '0x2' }], { kind: 'unknown' }],
  [logs, [{ fromBlock: '0x1' }], { kind: 'unknown' }],
  [logs, [{ blockHash: '0xab' }], { kind: 'self-describing', field: 'blockNumber' }],
] as const)('%j of %j belongs to %j', (ttl, params, expected) => {
  expect(blockOfCall(ttl, params)).toEqual(expected)
})

const address = `0x${'Ab'.repeat(20)}`

it.each([
  ['[ "0x1" , {"a" : [ 1, 2 ]}]', '["0x1",{"a":[1,2]}]'],
  ['["a  \\" b"]', '["a  \\" b"]'],
  [`["${address}"]`, `["${address.toLowerCase()}"]`],
  [`{"to":"${address}"}`, `{"to":"${address.toLowerCase()}"}`],
  // Not an account address: data, text, a quantity.
  [`["0xAB"]`, `["0xAB"]`],
  [`["${address}00"]`, `["${address}00"]`],
  [`["x\\",\\"${address}\\",\\""]`, `["x\\",\\"${address}\\",\\""]`],
  ['[1.0,1]', '[1.0,1]'],
])('canonicalizes %s to %s', (text, canonical) => {
  expect(canonicalParams(text)).toBe(canonical)
})

it.each(['ab', '\\n', '\\"', ' '])('leaves params with strings of megabytes unchanged: %j', (part) => {
  const text = `["${part.repeat(10_000_000)}", 1]`
  expect(canonicalParams(text)).toBe(text)
})
