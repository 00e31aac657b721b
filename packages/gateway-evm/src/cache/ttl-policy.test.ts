import { readFileSync } from 'node:fs'
import { methods } from '@fairlead/evm-rpc/contract'
import { expect, it } from 'vitest'
import { blockOfCall } from './block-of-call.ts'
import { type CacheRule, cacheRuleOf, cacheRules, type Ttl } from './ttl-policy.ts'
import { canonicalParams } from './cache-key.ts'

const page = readFileSync(new URL('../../../../docs/reference/caching.md', import.meta.url), 'utf8')

/** Returns the wording of the documentation page. */
function kept({ lifetime }: CacheRule): string {
  switch (lifetime.kind) {
    case 'params':
      return 'for ever'
    case 'chain':
      return `for ${lifetime.ms / 1_000} seconds`
    case 'block':
      return `for ever, when the block in param ${lifetime.param + 1} is a number and finalized`
    case 'told':
      return `for ever, when \`${lifetime.member}\` in the answer is finalized`
    case 'logs':
      return 'for ever, when the range is of numbers and well below the finalized block'
    case 'head':
      return 'with `cacheHeadMs`, while the newest block stays the same'
    case 'moment':
      return 'no'
    default:
      return lifetime satisfies never
  }
}

it('the reference page has the table as it is', () => {
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  expect(rows).toEqual(
    cacheRules.map((rule) => [
      rule.methods.map((method) => `\`${method}\``).join(', '),
      kept(rule),
      rule.isShared ? 'yes' : 'no',
      rule.why,
    ]),
  )
})

it('a method stands in one row, is known, and may be called again', () => {
  const all = cacheRules.flatMap((rule) => rule.methods)
  expect(new Set(all).size).toBe(all.length)
  for (const method of all) {
    expect(methods).toHaveProperty(method)
    expect(methods[method as keyof typeof methods].idempotent).toBe(true)
  }
})

it('the param of a block is one', () => {
  for (const { lifetime, methods: names } of cacheRules) {
    if (lifetime.kind !== 'block') continue
    for (const name of names) {
      const params: readonly { readonly name: string }[] = methods[name as keyof typeof methods].params
      expect([name, params[lifetime.param]?.name]).toEqual([
        name,
        expect.stringMatching(/^(?:block|newestBlock)$/),
      ])
    }
  }
})

it.each([
  'eth_sendRawTransaction',
  'eth_newFilter',
  'eth_getFilterChanges',
  'eth_sign',
  'txpool_content',
  'eth_syncing',
])('%s is asked of the node every time', (method) => expect(cacheRuleOf(method)).toBeUndefined())

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
  [logs, [{ blockHash: '0xab' }], { kind: 'told', member: 'blockNumber' }],
] as const)('%j of %j belongs to %j', (lifetime, params, expected) => {
  expect(blockOfCall(lifetime, params)).toEqual(expected)
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
])('%s is asked for as %s', (text, canonical) => {
  expect(canonicalParams(text)).toBe(canonical)
})
