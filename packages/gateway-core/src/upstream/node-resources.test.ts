import { expect, it } from 'vitest'
import { grantWith } from '../testing/limited-grant.ts'
import { NodeResources } from './node-resources.ts'

/** Resources that record their configurations. */
function recording({ isChangeable = true, isStale = (): boolean => false } = {}) {
  const resources = new NodeResources<{ texts: string[]; close(): void }>(isStale)
  const of = (nodeId: string, text: string) =>
    resources.of(grantWith({ nodeId }), text, {
      open: () => ({ texts: [text], close: () => undefined }),
      change: ({ texts }) => {
        if (isChangeable) texts.push(text)
        return isChangeable
      },
    })
  return { resources, of }
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
  expect(of('b', 'z')).toBe(first)
  expect([...resources.entries()].map(([, nodes]) => nodes)).toEqual([['b'], ['a']])
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
