import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { pino } from 'pino'
import { DeadlineStore } from './deadline-store.ts'
import { openSharedStore } from './valkey-store.ts'
import type { SharedStore } from './types.ts'
import { hasRedisServer, type RedisServer, startRedisServer } from '../testing/redis-server.ts'

const later = { timeout: 50_000, interval: 20 }
const ping = (store: SharedStore) => store.run(['PING'])

function blockEventLoop(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe.skipIf(!hasRedisServer)(
  'a store that calls wait for (skipped where there is no redis-server)',
  () => {
    let server: RedisServer
    beforeAll(async () => {
      server = await startRedisServer()
    }, 60_000)
    afterAll(() => server.kill())

    async function opened() {
      const store = openSharedStore(server.url, pino({ level: 'silent' }))
      onTestFinished(() => store.close())
      await vi.waitFor(() => expect(store.isUp).toBe(true), later)
      return store
    }

    it('does not time out when this process was busy while the response arrived', async () => {
      const deadlineStore = new DeadlineStore(await opened(), 500)
      const reply = deadlineStore.query(ping)
      // The command is sent in this event-loop tick.
      setImmediate(() => blockEventLoop(1_000))
      expect(await reply).toBe('PONG')
      expect(deadlineStore.isUp).toBe(true)
    })

    it('receives no commands during a cool-down after a timeout', async () => {
      const deadlineStore = new DeadlineStore(await opened(), 50)
      server.pause()
      expect(await deadlineStore.query(ping)).toBeUndefined()
      expect(deadlineStore.isUp).toBe(false)
      server.resume()
      expect(await deadlineStore.query(ping)).toBeUndefined()
      await vi.waitFor(async () => expect(await deadlineStore.query(ping)).toBe('PONG'), later)
    })
  },
)
