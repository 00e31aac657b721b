import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { defaultPolicy, reportingPolicy } from '@fairlead/platform-server/platform-api/rate-limits'
import { describeInOrder } from '@fairlead/platform-server/testing/describe-in-order'
import type { TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { complaintsOf, complaintsOutside, operationIds, routeTable } from './contract-violations.ts'
import { keyOf } from './caller.ts'
import { goodRequests } from './valid-requests.ts'
import type { WireAnswer, WireRequest } from './http-exchange.ts'
import { type Provocation, provocationsOf } from './status-cases.ts'
import { randomAddress, requestOf, startWorld, type World } from './test-environment.ts'

// Declared responses that these tests do not provoke, and the reason.
const notProvoked: readonly {
  readonly status: number
  readonly of: 'all' | OperationId
  readonly why: string
}[] = [
  { status: 500, of: 'all', why: 'is a defect; request-log.test.ts makes one' },
  { status: 503, of: 'getSignInOptions', why: 'asks nobody else' },
  {
    status: 503,
    of: 'finishOidcSignIn',
    why: 'queries the database only for a user whom the provider vouches for',
  },
]

// The last test reads what the others record.
describeInOrder('the platform API by its document', (create) => {
  let database: TemporaryDatabase
  let world: World
  const provoked = new Map<OperationId, Set<number>>()
  const note = (id: OperationId, status: number) => {
    provoked.set(id, (provoked.get(id) ?? new Set()).add(status))
  }
  beforeAll(async () => {
    database = await create()
    world = await startWorld(database)
  })
  afterAll(async () => {
    await world.close()
    await database.remove()
  })

  it.each(operationIds)('%s answers as it declares', async (id) => {
    const complaints: string[] = []
    for (const provocation of await provocationsOf(id, world)) {
      const answer = await world[provocation.to ?? 'exchange'](provocation.request)
      const wrong = wrongAbout(id, provocation, answer)
      if (wrong.length > 0) complaints.push(`${provocation.of}: ${wrong.join(', ')}`)
      else note(id, answer.status)
    }
    expect(complaints).toEqual([])
  })

  it.each([...new Set(operationIds.map((id) => routeTable[id].path))])(
    'has no other methods on %s than it declares',
    async (path) => {
      const methods = operationIds.map((id) => routeTable[id]).filter((route) => route.path === path)
      const allowed = new Set<string>(['HEAD', 'OPTIONS', ...methods.map(({ method }) => method)])
      if (!allowed.has('GET')) allowed.delete('HEAD')
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'PROPFIND']) {
        if (allowed.has(method)) continue
        const answer = await world.exchange({ method, target: path, headers: secure() })
        expect([method, answer.status]).toEqual([method, 405])
        if (method !== 'HEAD') expect(complaintsOutside(answer)).toEqual([])
        expect(new Set(answer.headers.allow?.split(', '))).toEqual(allowed)
      }
    },
  )

  describe('throttles', () => {
    // A caller that has reached the limit is rejected by every operation.
    it('a caller', { timeout: 120_000 }, async () => {
      const { home, fixture } = world
      const caller = await keyOf(fixture.store, home.owner)
      const address = { 'x-forwarded-for': randomAddress() }
      const ask = (id: OperationId, by: typeof caller | typeof address) =>
        world.exchange(requestOf(id, {}, { ...address, ...by }))
      await useUp(defaultPolicy.quota, () => ask('getOrganization', caller))
      await useUp(defaultPolicy.quota, () => ask('getSignInOptions', address))
      await useUp(reportingPolicy.quota, () => ask('listNodeUsage', caller))
      for (const id of operationIds) {
        const answer = await ask(id, routeTable[id].public === true ? address : caller)
        expect([id, answer.status, complaintsOf(id, answer)]).toEqual([id, 429, []])
        expect(answer.headers['ratelimit']).toMatch(/^"(default|reporting)";r=0;t=\d+$/)
        note(id, 429)
      }
    })

    it('says how many requests are left', async () => {
      const caller = await keyOf(world.fixture.store, world.home.owner)
      const first = await world.send('getOrganization', {}, caller)
      const second = await world.send('getNode', { path: { id: 'nonsense' } }, caller)
      const report = await world.send('listNodeUsage', {}, caller)
      expect(
        [first, second, report].map(({ headers }) => [headers['ratelimit-policy'], headers['ratelimit']]),
      ).toEqual([
        ['"default";q=600;w=60', expect.stringMatching(/^"default";r=599;t=(60|59)$/)],
        ['"default";q=600;w=60', expect.stringMatching(/^"default";r=598;t=\d\d$/)],
        ['"reporting";q=60;w=60', expect.stringMatching(/^"reporting";r=59;t=\d\d$/)],
      ])
    })
  })

  it('answers 503 while the database is away', async () => {
    const lost = await create()
    const away = await startWorld(lost)
    onTestFinished(async () => {
      await away.close()
      await lost.remove()
    })
    const good = new Map<OperationId, WireRequest>()
    for (const id of operationIds) {
      if (isExempt(id, 503) || provoked.get(id)?.has(503) === true) continue
      const { caller = away.home.key, ...given } = await goodRequests[id](away)
      good.set(id, requestOf(id, given, caller))
    }
    await away.fixture.store.close()
    for (const [id, request] of good) {
      const answer = await away.exchange(request)
      expect([id, answer.status, complaintsOf(id, answer)]).toEqual([id, 503, []])
      note(id, 503)
    }
  })

  it('leaves no declared status out', () => {
    const left = operationIds.flatMap((id) =>
      Object.keys(routeTable[id].responses)
        .map(Number)
        .filter((status) => provoked.get(id)?.has(status) !== true && !isExempt(id, status))
        .map((status) => `${id} ${status}`),
    )
    expect(left).toEqual([])
  })
})

function isExempt(id: OperationId, status: number): boolean {
  return notProvoked.some((one) => one.status === status && (one.of === 'all' || one.of === id))
}

function wrongAbout(id: OperationId, { status, field, header }: Provocation, answer: WireAnswer): string[] {
  return [
    ...(answer.status === status ? [] : [`${answer.status} instead of ${status}`]),
    ...complaintsOf(id, answer),
    ...(field === undefined || namesField(answer, field) ? [] : [`no complaint about ${field}`]),
    ...(header === undefined || header[1].test(String(answer.headers[header[0]]))
      ? []
      : [`${header[0]} has another form`]),
  ]
}

function namesField({ body }: WireAnswer, field: string): boolean {
  if (body === '') return false
  const { error } = JSON.parse(body) as { error?: { fields?: Readonly<Record<string, unknown>> } }
  return Object.keys(error?.fields ?? {}).some((name) => name === field || name.startsWith(`${field}.`))
}

async function useUp(quota: number, ask: () => Promise<WireAnswer>): Promise<void> {
  for (let sent = 0; sent < quota; sent += 20) await Promise.all(Array.from({ length: 20 }, ask))
}

const secure = () => ({ 'x-forwarded-for': randomAddress(), 'x-forwarded-proto': 'https' })
