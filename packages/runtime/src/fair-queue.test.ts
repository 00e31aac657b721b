import { describe, expect, it } from 'vitest'
import { FairQueue, type StartOutcome } from './fair-queue.ts'

const tenant = (name: string) => {
  const [organizationId = '', projectId = 'project', credentialId = 'credential'] = name.split('/')
  return { organizationId, projectId, credentialId }
}

/** A queue whose items are the names of their owners, such as `organization/project/credential`. */
function queueOf(...names: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const name of names) queue.push(name === 'gateway' ? undefined : tenant(name), name)
  return queue
}

/** Serves items while one can be started, and returns them in their order. */
function served(queue: FairQueue<string>, outcomeOf: (name: string) => StartOutcome = () => 'started') {
  const order: string[] = []
  queue.serve((name) => {
    const outcome = outcomeOf(name)
    if (outcome === 'started') order.push(name)
    return outcome
  })
  return order
}

const repeated = (name: string, count: number) => Array.from({ length: count }, () => name)

describe('organizations are served in turn', () => {
  it.each([
    ['with many items', repeated('a', 100)],
    ['with many credentials', Array.from({ length: 100 }, (_, at) => `a/project/${at}`)],
    ['with many projects', Array.from({ length: 100 }, (_, at) => `a/${at}`)],
    ['with all of them', Array.from({ length: 150 }, (_, at) => `a/${at % 7}/${at % 60}`)],
  ])('%s', (_, names) => {
    const order = served(queueOf(...names, 'b', 'b', 'c/x', 'c/y', 'gateway'))
    expect(order).toHaveLength(names.length + 5)
    const positionOf = (prefix: string, nth: number) =>
      order.flatMap((name, at) => (name.startsWith(prefix) ? [at] : []))[nth]
    expect(order.slice(0, 4).map((name) => name[0])).toEqual(['a', 'b', 'c', 'g'])
    expect([positionOf('b', 1), positionOf('c', 1)]).toEqual([5, 6])
  })
})

it('projects of an organization are served in turn, then their credentials', () => {
  const names = ['a/one/x', 'a/one/x', 'a/one/y', 'a/two/z', 'a/two/z', 'a/two/z']
  expect(served(queueOf(...names))).toEqual([
    'a/one/x',
    'a/two/z',
    'a/one/y',
    'a/two/z',
    'a/one/x',
    'a/two/z',
  ])
})

it.each([
  ['credential', ['a/one/y', 'a/two/x', 'b']],
  ['project', ['a/two/x', 'b']],
  ['organization', ['b']],
  ['resource', []],
] as const)('items below an exceeded limit of the %s are not tried', (limit, expected) => {
  const queue = queueOf('a/one/x', 'a/one/x', 'a/one/y', 'a/two/x', 'b')
  const tried: string[] = []
  const order = served(queue, (name) => {
    tried.push(name)
    return name === 'a/one/x' ? limit : 'started'
  })
  expect(order.toSorted()).toEqual(expected)
  expect(tried.filter((name) => name === 'a/one/x')).toHaveLength(1)
  // An owner whose item could not be started keeps its turn.
  expect(served(queue)[0]).toBe('a/one/x')
})

it('single items are removed in turn', () => {
  const queue = queueOf('a', 'a', 'b', 'b')
  expect([1, 2, 3, 4, 5].map(() => queue.shift())).toEqual(['a', 'b', 'a', 'b', undefined])
})

it('one project is served without the others', () => {
  const queue = queueOf('a/one/x', 'a/two/x', 'b/one/x', 'a/one/y')
  const order: string[] = []
  queue.serveProject(tenant('a/one/x'), (name) => {
    order.push(name)
    return 'started'
  })
  expect(order).toEqual(['a/one/x', 'a/one/y'])
  expect([...queue].toSorted()).toEqual(['a/two/x', 'b/one/x'])
})

it('an item is removed once, and its owner with the last one', () => {
  const queue = queueOf('b')
  const items = ['a', 'a', 'a/other'].map((name) => queue.push(tenant(name), name))
  items[0]?.remove()
  items[0]?.remove()
  expect([queue.size, queue.has(tenant('a')), queue.has(tenant('c'))]).toEqual([3, true, false])
  items[1]?.remove()
  expect([queue.has(tenant('a')), queue.has(tenant('a/other')), queue.has(undefined)]).toEqual([
    false,
    true,
    false,
  ])
  expect(served(queue)).toEqual(['b', 'a/other'])
  expect(queue.isEmpty).toBe(true)
  items[2]?.remove()
  expect(queue.size).toBe(0)
})

it('serves every item once, and no organization twice while another one waits', () => {
  let seed = 7
  const random = (below: number) => (seed = (seed * 16_807) % 2_147_483_647) % below
  for (let round = 0; round < 50; round += 1) {
    const names = Array.from({ length: 1 + random(60) }, () => `${random(4)}/${random(3)}/${random(3)}`)
    const order = served(queueOf(...names))
    expect(order.toSorted()).toEqual(names.toSorted())
    const left = (from: number) => new Set(order.slice(from).map((name) => name[0]))
    for (let at = 1; at < order.length; at += 1) {
      if (order[at]?.[0] === order[at - 1]?.[0]) expect(left(at).size).toBe(1)
    }
  }
})
