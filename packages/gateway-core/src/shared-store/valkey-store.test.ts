import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { pino } from 'pino'
import { memory } from '../testing/memory.ts'
import { openSharedStore } from './valkey-store.ts'
import { hasRedisServer, type RedisServer, startRedisServer } from '../testing/redis-server.ts'

const pollOptions = { timeout: 50_000, interval: 20 }

vi.setConfig({ testTimeout: 60_000 })

describe.skipIf(!hasRedisServer)('a shared store (skipped where there is no redis-server)', () => {
  let server: RedisServer
  const lines = memory()
  const log = pino({ level: 'info', base: null, timestamp: false }, lines.stream)

  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterAll(() => server.kill())

  it('runs commands and scripts with texts and bytes', async () => {
    const store = openSharedStore(server.url, log, 10_000)
    await vi.waitFor(() => expect(store.isUp).toBe(true), pollOptions)
    const bytes = Buffer.from([0, 255, 1, 254])
    await store.run(['SET', 'bytes', bytes])
    expect(await store.bytes(['GET', 'bytes'])).toEqual(bytes)
    expect(await store.bytes(['GET', 'nothing'])).toBeNull()
    expect(await store.run(['INCRBY', 'number', '2'])).toBe(2)
    const add = "return redis.call('INCRBY', KEYS[1], ARGV[1])"
    expect([await store.script(add, ['sum'], [2]), await store.script(add, ['sum'], [3])]).toEqual([2, 5])
    await store.run(['SCRIPT', 'FLUSH'])
    expect(await store.script(add, ['sum'], [1])).toBe(6)
    const { failures } = store.states()
    await expect(store.run(['NOTHING'])).rejects.toThrow('unknown command')
    expect(store.states()).toMatchObject({ downSince: undefined, failures: failures + 1 })
    await store.close()
  })

  it('logs one disconnection and one reconnection, and rejects commands without waiting', async () => {
    const store = openSharedStore(server.url, log, 10_000)
    await vi.waitFor(() => expect(store.isUp).toBe(true), pollOptions)
    await server.kill()
    await vi.waitFor(() => expect(store.isUp).toBe(false), pollOptions)
    await expect(store.run(['GET', 'x'])).rejects.toThrow()
    // Several failed attempts to reconnect are reported only once.
    let attempts = 0
    const closedServer = createServer((socket) => {
      attempts += 1
      socket.destroy()
    }).listen(server.port, '127.0.0.1')
    await vi.waitFor(() => expect(attempts).toBeGreaterThanOrEqual(3), pollOptions)
    closedServer.close()
    await once(closedServer, 'close')
    await server.start()
    await vi.waitFor(() => expect(store.isUp).toBe(true), pollOptions)
    expect(await store.run(['GET', 'x'])).toBeNull()
    await store.close()
    const messages = lines.text().match(/shared store [a-z]+/g) ?? []
    expect(messages.slice(-3)).toEqual([
      'shared store connected',
      'shared store unavailable',
      'shared store reconnected',
    ])
    expect(lines.text()).not.toContain('c4n4ry')
    expect(lines.text()).not.toContain(String(server.port))
  })

  it('receives no commands during a cool-down after a timeout', async () => {
    const store = openSharedStore(server.url, log)
    await vi.waitFor(() => expect(store.isUp).toBe(true), pollOptions)
    server.pause()
    try {
      await expect(store.run(['GET', 'x'])).rejects.toThrow('did not respond in time')
      expect(store.isUp).toBe(false)
    } finally {
      server.resume()
    }
    await vi.waitFor(() => expect(store.isUp).toBe(true), pollOptions)
    await store.close()
  })

  it('can be closed before it connects', async () => {
    const store = openSharedStore('redis://:c4n4ry@127.0.0.1:1', log)
    expect(store.isUp).toBe(false)
    await expect(store.run(['GET', 'x'])).rejects.toThrow()
    await store.close()
  })
})

it('rejects an invalid URL without including it in the error', () => {
  const log = pino({ level: 'silent' })
  for (const url of ['redis://c4n4ry@host:port', 'redis://:c4n4ry@host/name', 'ftp://c4n4ry']) {
    const open = () => openSharedStore(url, log)
    expect(open).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
    expect(open).not.toThrow(/c4n4ry/)
  }
})
