import { expect, it } from 'vitest'
import { parseUpstreams } from '../grants/parse-upstreams.ts'
import { UpstreamRegistry } from './upstream-registry.ts'

/** A registry that records which connections are open. */
function recording() {
  const open = new Set<object>()
  const registry = new UpstreamRegistry({
    field: 'test',
    open: () => {
      const connection = {
        lastBytesAt: -Infinity,
        mismatchedResponses: 0,
        close: () => {
          // A connection is closed once.
          expect(open.delete(connection)).toBe(true)
          return Promise.resolve()
        },
      }
      open.add(connection)
      return connection
    },
  })
  const of = (text: string) => parseUpstreams(text).map((record) => registry.of(record))
  return { open, registry, of }
}

it('shares the connections of upstreams that differ only in their rate limit', async () => {
  const { open, registry, of } = recording()
  const upstreams = of('https://a.example https://a.example#rps=1 https://a.example#rps=2;weight=2')
  expect(open.size).toBe(1)
  expect(new Set(upstreams.map(({ connection }) => connection))).toEqual(open)
  expect(new Set(upstreams.map(({ id }) => id)).size).toBe(3)
  await registry.close()
  expect(open.size).toBe(0)
})

it('gives each rate limit its own rate, which nodes with the same limit share', () => {
  const { of } = recording()
  const [unlimited, limited, same] = of('https://a.example https://a.example#rps=1 https://a.example#rps=1')
  limited?.rate.take()
  expect(same).toBe(limited)
  expect(unlimited?.rate.waitMs).toBe(0)
  expect(limited?.rate.waitMs).toBeGreaterThan(0)
})

it.each(['#batch=1', '#ca=/a.pem', '#jwt=/a.hex', '/key'])('opens other connections for %s', (part) => {
  const { open, of } = recording()
  const [one, other] = of(`https://a.example https://a.example${part}`)
  expect(open.size).toBe(2)
  expect(one?.connection).not.toBe(other?.connection)
})
