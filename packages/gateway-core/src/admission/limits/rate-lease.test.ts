import { expect, it } from 'vitest'
import type { SharedStore } from '../../shared-store/types.ts'
import { RateLease } from './rate-lease.ts'

/** A store whose responses the test provides: granted tokens, and milliseconds until one is available. */
class ManualStore implements SharedStore {
  readonly isUp = true
  readonly requests: { readonly owed: number; respond(granted: number, waitMs: number): void }[] = []

  script(_source: string, _keys: readonly string[], values: readonly (string | number)[]): Promise<unknown> {
    return new Promise((resolve) => {
      const respond = (granted: number, waitMs: number) => resolve([granted, waitMs])
      this.requests.push({ owed: Number(values[2]), respond })
    })
  }

  run(): Promise<never> {
    throw new Error('Not part of the test.')
  }

  bytes(): Promise<never> {
    throw new Error('Not part of the test.')
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

const respond = async (store: ManualStore, granted: number, waitMs = 0) => {
  store.requests.at(-1)?.respond(granted, waitMs)
  await new Promise((resolve) => setImmediate(resolve))
}

it('settles its debt when the credit was used up while the store had nothing to grant', async () => {
  const store = new ManualStore()
  const lease = new RateLease(store, 'key', { requestsPerSecond: 40 })
  const takeAfter = (ms: number) => lease.take(performance.now() + ms)
  expect(takeAfter(0)).toBe(0)
  await respond(store, 2)
  // Two granted tokens, the second of which starts a request without debt, and two on credit.
  expect([takeAfter(0), takeAfter(0), takeAfter(0), takeAfter(0)]).toEqual([0, 0, 0, 0])
  expect(takeAfter(0)).toBeGreaterThan(0)
  expect(store.requests.map(({ owed }) => owed)).toEqual([1, 0])
  await respond(store, 0, 25)
  expect(takeAfter(0)).toBeGreaterThan(1)
  expect(store.requests).toHaveLength(2)

  expect(takeAfter(100)).toBe(1)
  expect(store.requests.map(({ owed }) => owed)).toEqual([1, 0, 2])
  expect(takeAfter(100)).toBe(1)
  expect(store.requests).toHaveLength(3)
  await respond(store, 2)
  expect(takeAfter(100)).toBe(0)
})
