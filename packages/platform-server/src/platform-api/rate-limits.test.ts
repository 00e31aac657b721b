import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PlatformFixture, platformFixture } from '../testing/platform-fixture.ts'
import { type TemporaryDatabase, anyDatabase } from '../testing/temporary-store.ts'
import { createRateLimits, defaultPolicy, reportingPolicy } from './rate-limits.ts'

describe('the limits of the platform API', () => {
  let now = 0
  let database: TemporaryDatabase
  let fixture: PlatformFixture
  beforeAll(async () => {
    database = await anyDatabase()
    fixture = await platformFixture(database, { limits: createRateLimits(() => now) })
  }, 60_000)
  afterAll(async () => {
    await fixture.app.close()
    await database.remove()
  })

  it('count each caller and policy separately, per minute', () => {
    let time = 0
    const limits = createRateLimits(() => time)
    for (let remaining = 599; remaining >= 0; remaining--) {
      expect(limits.take(defaultPolicy, 'a')).toEqual({
        isAllowed: true,
        headers: { 'ratelimit-policy': '"default";q=600;w=60', ratelimit: `"default";r=${remaining};t=60` },
      })
    }
    time = 20_500
    const rejected = limits.take(defaultPolicy, 'a')
    expect(rejected.isAllowed).toBe(false)
    expect(rejected.headers).toMatchObject({ 'retry-after': '40', ratelimit: '"default";r=0;t=40' })
    expect(limits.take(defaultPolicy, 'b').isAllowed).toBe(true)
    expect(limits.take(reportingPolicy, 'a').isAllowed).toBe(true)
    time = 60_000
    expect(limits.take(defaultPolicy, 'a').isAllowed).toBe(true)
  })

  it('are in the headers of every response, and reject excess requests with Retry-After', async () => {
    const report = () => fixture.call('/v2/reporting/node-usage/')
    for (let remaining = 59; remaining >= 0; remaining--) {
      expect((await report()).headers['ratelimit']).toBe(`"reporting";r=${remaining};t=60`)
    }
    const rejected = await report()
    expect(rejected.statusCode).toBe(429)
    expect(rejected.json()).toMatchObject({ error: { code: 'throttled' } })
    expect(rejected.headers).toMatchObject({
      'retry-after': '60',
      'ratelimit-policy': '"reporting";q=60;w=60',
    })
    // Requests other than reports continue to work, and reports work again after a minute.
    expect((await fixture.call('/v1/organization/')).headers['ratelimit']).toBe('"default";r=599;t=60')
    now += 60_000
    expect((await report()).statusCode).toBe(200)
  })

  it('count unauthenticated callers by their address', async () => {
    const send = (remoteAddress: string) => fixture.anonymous('/v1/organization/', { remoteAddress })
    expect((await send('192.0.2.5')).headers['ratelimit']).toBe('"default";r=599;t=60')
    expect((await send('192.0.2.5')).headers['ratelimit']).toBe('"default";r=598;t=60')
    expect((await send('192.0.2.6')).headers['ratelimit']).toBe('"default";r=599;t=60')
    const options = await fixture.anonymous('/v1/sign-in-options/', { remoteAddress: '192.0.2.5' })
    expect(options.headers['ratelimit']).toBe('"default";r=597;t=60')
  })
})
