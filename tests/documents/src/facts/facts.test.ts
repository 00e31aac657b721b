import { expect, it } from 'vitest'
import { readPages } from '../pages/page.ts'
import { facts, maxMemory } from './facts.ts'
import { markedIn, unmarkedQuantities, wrongFacts } from './marked-facts.ts'

const pages = readPages()

it('a number that a page copies from the code is that of the code', () => {
  expect(pages.flatMap(wrongFacts)).toEqual([])
})

it('every fact is stated by a page', () => {
  const stated = new Set(pages.flatMap(markedIn))
  expect(Object.keys(facts).filter((name) => !stated.has(name))).toEqual([])
})

it('the memory limit of the manifests is enough for the default limits', () => {
  expect(facts['memory of a pod']?.value).toBeGreaterThan(maxMemory.value)
})

const measured = 'measured'
const advice = 'a recommendation'
const checkedByOptions = 'options.test.ts compares it'

/** Times and sizes of pages that are no constants of the code, by page and then by text, and what they are. */
const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/operations/alerts.md': {
    'two days': 'follows from the objective',
    'three seconds': 'follows from the rule',
  },
  'docs/operations/metering.md': {
    '320 bytes': measured,
    'ten seconds': 'of the batch, the journal and the database',
  },
  'docs/operations/running.md': {
    '10 seconds': advice,
    '15 seconds': advice,
    '100 MB': measured,
    '10 kB': measured,
    '90 kB': measured,
  },
  'docs/operations/scaling.md': {
    '150 MB': measured,
    '400 MB': measured,
    '700 MB': measured,
    '120 bytes': measured,
    '1 kB': measured,
    '10 kB': measured,
    '40 kB': measured,
  },
  'docs/operations/webhooks.md': { 'five minutes': advice },
  'docs/recipes/streaming.md': { 'half a second': 'a property of Solana' },
  'docs/reference/caching.md': { '60 seconds': 'cache-rule.test.ts compares it' },
  'docs/reference/configuration.md': {
    '32 bytes': checkedByOptions,
    'every minute': checkedByOptions,
    '64 KiB': checkedByOptions,
    '2 MiB': checkedByOptions,
  },
  'docs/reference/upstreams.md': { '60 seconds': 'the tolerance of execution clients' },
  'docs/self-hosting/kubernetes.md': { '150 MB': measured },
  'docs/self-hosting/replicas.md': {
    '60 seconds': 'of load balancers',
    '600 seconds': 'of a load balancer',
  },
}

it('pages for users mark every time and size', () => {
  const forUsers = pages.filter(({ path }) =>
    /^docs\/(?:\w+\.md|(?:guides|operations|recipes|reference|self-hosting)\/)/.test(path),
  )
  expect(forUsers.length).toBeGreaterThan(40)
  // Both have results of measurements.
  const unchecked = ['docs/benchmarks.md', 'docs/security.md']
  const unmarked = forUsers
    .filter(({ path }) => !unchecked.includes(path))
    .map((page) => [page.path, [...new Set(unmarkedQuantities(page))]] as const)
    .filter(([, quantities]) => quantities.length > 0)
  const expected = Object.entries(exceptions).map(([path, reasons]) => [path, Object.keys(reasons)] as const)
  expect(new Map(unmarked)).toEqual(new Map(expected))
})
