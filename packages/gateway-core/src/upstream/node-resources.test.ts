import { describe, expect, it } from 'vitest'
import { gatewayGrant, type Grant } from '../grants/grant.ts'
import { grantWith } from '../testing/limited-grant.ts'
import { NodeResources } from './node-resources.ts'

/** Resources that record their configurations. */
function recording({ isChangeable = true, isStale = (): boolean => false } = {}) {
  const resources = new NodeResources<{ texts: string[]; close(): void }>(isStale)
  const closed: string[] = []
  const ofGrant = (grant: Grant, text: string) =>
    resources.of(grant, text, {
      open: () => ({ texts: [text], close: () => closed.push(text) }),
      change: ({ texts }) => {
        if (isChangeable) texts.push(text)
        return isChangeable
      },
    })
  const of = (nodeId: string, text: string) => ofGrant(grantWith({ nodeId }), text)
  const ofGateway = (nodeId: string, text: string) => ofGrant(gatewayGrant(grantWith({ nodeId })), text)
  return { resources, of, ofGateway, closed }
}

it('opens one resource for nodes with the same configuration', () => {
  const { of } = recording()
  expect(of('a', 'x')).toBe(of('b', 'x'))
  expect(of('c', 'y')).not.toBe(of('a', 'x'))
})

it('changes the resource of a node in place', () => {
  const { of, resources } = recording()
  const first = of('a', 'x')
  expect(of('a', 'y')).toBe(first)
  expect(of('a', 'y').texts).toEqual(['x', 'y'])
  expect([...resources.entries()]).toEqual([[first, ['a']]])
})

it('does not share a resource that has had another configuration', () => {
  const { of } = recording()
  const first = of('a', 'x')
  of('a', 'y')
  expect(of('b', 'y').texts).toEqual(['y'])
  expect(of('c', 'x').texts).toEqual(['x'])
  expect(of('a', 'y')).toBe(first)
})

it('opens another resource while other nodes use the present one', () => {
  const { of, resources } = recording()
  const first = of('a', 'x')
  of('b', 'x')
  expect(of('a', 'y').texts).toEqual(['y'])
  expect(of('b', 'x')).toBe(first)
  expect([...resources.entries()].map(([, nodes]) => nodes)).toEqual([['b'], ['a']])
})

it('never changes a resource that another node has had', () => {
  const { of, resources } = recording()
  const first = of('a', 'x')
  of('b', 'x')
  of('a', 'y')
  // Calls of node a may still use the first one.
  expect(of('b', 'z').texts).toEqual(['z'])
  expect(first.texts).toEqual(['x'])
  expect([...resources.entries()].map(([, nodes]) => nodes)).toEqual([['a'], ['b']])
})

it('never changes a resource whose other node was evicted', () => {
  const { of } = recording()
  const first = of('evicted', 'x')
  of('a', 'x')
  for (let node = 0; node < 20_000; node += 1) {
    of(`${node}`, `${node}`)
    if (node % 1_000 === 0) of('a', 'x')
  }
  expect(of('a', 'y').texts).toEqual(['y'])
  expect(first.texts).toEqual(['x'])
})

it('prefers a resource that other nodes have with that configuration', () => {
  const { of, resources } = recording()
  of('a', 'x')
  const other = of('b', 'y')
  expect(of('a', 'y')).toBe(other)
  expect([...resources.entries()]).toEqual([[other, ['b', 'a']]])
})

it('opens another resource when the present one cannot change', () => {
  const { of, resources } = recording({ isChangeable: false })
  of('a', 'x')
  expect(of('a', 'y').texts).toEqual(['y'])
  expect([...resources.entries()]).toHaveLength(1)
})

it('returns the present resource for a stale grant', () => {
  let isStale = false
  const { of } = recording({ isStale: () => isStale })
  const first = of('a', 'x')
  of('a', 'y')
  isStale = true
  expect(of('a', 'x')).toBe(first)
  expect(first.texts).toEqual(['x', 'y'])
  expect(of('b', 'z').texts).toEqual(['z'])
})

describe('a grant of the gateway', () => {
  it('has the resource of the clients while its configuration is theirs', () => {
    const { of, ofGateway, resources } = recording({ isStale: () => true })
    const first = ofGateway('a', 'x')
    expect(of('a', 'x')).toBe(first)
    expect(ofGateway('a', 'x')).toBe(first)
    expect([...resources.entries()]).toEqual([[first, ['a']]])
  })

  it('has its own resource otherwise, and leaves that of the clients unchanged', () => {
    const { of, ofGateway, resources } = recording()
    const first = of('a', 'x')
    const newer = ofGateway('a', 'y')
    expect(newer.texts).toEqual(['y'])
    expect(ofGateway('a', 'y')).toBe(newer)
    expect(of('a', 'x')).toBe(first)
    expect([...resources.entries()]).toEqual([[first, ['a']]])
    expect(of('a', 'y')).toBe(first)
    expect(ofGateway('a', 'y')).toBe(first)
    expect(ofGateway('a', 'x').texts).toEqual(['x'])
    expect(first.texts).toEqual(['x', 'y'])
  })

  it('does not share its own resource with other nodes', () => {
    const { of, ofGateway } = recording()
    of('a', 'x')
    const newer = ofGateway('a', 'y')
    expect(of('b', 'y')).not.toBe(newer)
    expect(ofGateway('a', 'y')).toBe(newer)
  })

  it('has its own resource closed with the others', () => {
    const { of, ofGateway, resources, closed } = recording()
    of('a', 'x')
    ofGateway('a', 'y')
    resources.close()
    expect(closed).toEqual(['x', 'y'])
  })
})
