import { setImmediate as nextTick } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TickBudget } from './tick-budget.ts'

const tenant = (organizationId: string) => ({ organizationId, projectId: 'p', credentialId: 'c' })

it('runs work at once until the budget of the tick is used up, and the rest in later ticks', async () => {
  const budget = new TickBudget()
  const done: number[] = []
  for (let at = 0; at < 10; at += 1) budget.run(tenant('a'), 100, () => done.push(at))
  expect(done).toEqual([0, 1, 2, 3])
  expect(budget.waiting).toBe(6)
  await nextTick()
  expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  await nextTick()
  expect(done).toHaveLength(10)
})

it('serves organizations in turn', async () => {
  const budget = new TickBudget()
  const done: string[] = []
  const run = (name: string) => budget.run(tenant(name), 200, () => done.push(name))
  for (let count = 0; count < 20; count += 1) run('many')
  run('one')
  await nextTick()
  expect(done).toEqual(['many', 'many', 'many', 'one'])
})

it('runs work that exceeds the budget of a tick alone', async () => {
  const budget = new TickBudget()
  const done: number[] = []
  for (const units of [5_000, 5_000, 1]) budget.run(tenant('a'), units, () => done.push(units))
  expect(done).toEqual([5_000])
  await nextTick()
  expect(done).toEqual([5_000, 5_000])
  await nextTick()
  expect(done).toEqual([5_000, 5_000, 1])
})

it('runs work that was added by other work', async () => {
  const budget = new TickBudget()
  const done: string[] = []
  budget.run(tenant('a'), 400, () => done.push('first'))
  budget.run(tenant('a'), 400, () => {
    done.push('second')
    budget.run(tenant('a'), 1, () => done.push('third'))
  })
  await nextTick()
  await nextTick()
  expect(done).toEqual(['first', 'second', 'third'])
})

it('runs less in a tick in which a client connects, and all of it later', async () => {
  const budget = new TickBudget()
  let done = 0
  budget.onConnection()
  for (let count = 0; count < 800; count += 1) budget.run(tenant('a'), 1, () => (done += 1))
  const inTicks = [done]
  for (let tick = 0; tick < 3; tick += 1) {
    await nextTick()
    inTicks.push(done)
  }
  expect(inTicks).toEqual([40, 80, 480, 800])
})
