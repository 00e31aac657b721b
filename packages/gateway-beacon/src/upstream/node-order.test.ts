import { expect, test } from 'vitest'
import { inOrder, type NodeState } from './node-order.ts'

const node = (name: string, given: Partial<NodeState['health']> & { isFailing?: boolean } = {}) => {
  const { isFailing = false, ...health } = given
  return {
    name,
    isFailing,
    health: { headSlot: 100, isSyncing: false, isOptimistic: false, isExecutionOffline: false, ...health },
  }
}
const unknown = { name: 'unknown', isFailing: false, health: undefined }
const inStep = node('in step')
const optimistic = node('optimistic', { isOptimistic: true })
const offline = node('execution offline', { isExecutionOffline: true })
const lagging = node('lagging', { headSlot: 97 })
const syncing = node('syncing', { isSyncing: true })
const failing = node('failing', { isFailing: true })

test('the classes stand behind each other', () => {
  const nodes = [failing, syncing, lagging, optimistic, inStep]
  const names = inOrder(nodes, undefined).map(({ name }) => name)
  expect(names).toEqual(['in step', 'optimistic', 'lagging', 'syncing', 'failing'])
})

test.each([
  [inStep, optimistic, optimistic],
  [inStep, offline, offline],
  [inStep, lagging, lagging],
  [inStep, syncing, syncing],
  [inStep, failing, failing],
  [inStep, unknown, unknown],
  [optimistic, lagging, lagging],
  [lagging, syncing, syncing],
  [syncing, failing, failing],
])('%o is taken before %o, even when the latter is the present one', (better, worse, present) => {
  const [first] = inOrder<NodeState>(worse === lagging ? [worse, better, inStep] : [worse, better], present)
  expect(first).toBe(worse === lagging ? inOrder<NodeState>([better, inStep], better)[0] : better)
})

test('the present node stays among equals, else the configuration decides', () => {
  const [a, b] = [node('a'), node('b')]
  expect(inOrder([a, b], undefined)[0]).toBe(a)
  expect(inOrder([a, b], b)[0]).toBe(b)
})

test('a head that is two slots behind is in step, three are a lag', () => {
  const best = node('best')
  const near = node('near', { headSlot: 98 })
  const far = node('far', { headSlot: 97 })
  expect(inOrder([best, near], near)[0]).toBe(near)
  expect(inOrder([best, far], far)[0]).toBe(best)
})

test('a failing node sets no standard for the heads of others', () => {
  const ahead = node('ahead', { headSlot: 900, isFailing: true })
  expect(inOrder([ahead, optimistic, inStep], ahead).map(({ name }) => name)).toEqual([
    'in step',
    'optimistic',
    'ahead',
  ])
})

test('when all are bad the least bad is first', () => {
  expect(inOrder<NodeState>([failing, syncing], failing)[0]).toBe(syncing)
  expect(inOrder([failing], undefined)[0]).toBe(failing)
})
