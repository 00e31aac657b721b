import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { defaultPolicy, reportingPolicy } from '@fairlead/platform-server/platform-api/rate-limits'
import { describeInOrder } from '@fairlead/platform-server/testing/describe-in-order'
import type { TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { violationsOf, routingViolationsOf, operationIds, routeTable } from './contract-violations.ts'
import { keyOf } from './caller.ts'
import { validRequests } from './valid-requests.ts'
import type { WireResponse, WireRequest } from './http-exchange.ts'
import { type StatusCase, statusCasesOf } from './status-cases.ts'
import { randomAddress, requestOf, startTestEnvironment, type TestEnvironment } from './test-environment.ts'

// Declared responses that these tests do not cover, and the reason.
const uncovered: readonly {
  readonly status: number
  readonly operation: 'all' | OperationId
  readonly reason: string
}[] = [
  {
    status: 408,
    operation: 'all',
    reason: 'is sent by the HTTP server of the gateway; covered by declared-responses.test.ts of the gateway',
  },
  {
    status: 431,
    operation: 'all',
    reason: 'is sent by the HTTP server of the gateway; covered by declared-responses.test.ts of the gateway',
  },
  { status: 500, operation: 'all', reason: 'is a defect; covered by request-log.test.ts' },
  { status: 503, operation: 'getSignInOptions', reason: 'does not depend on another system' },
  {
    status: 503,
    operation: 'finishOidcSignIn',
    reason: 'queries the database only for a user whom the provider has authenticated',
  },
]

// The last test reads what the others record.
describeInOrder('the platform API contract', (create) => {
  let database: TemporaryDatabase
  let environment: TestEnvironment
  const covered = new Map<OperationId, Set<number>>()
  const record = (id: OperationId, status: number) => {
    covered.set(id, (covered.get(id) ?? new Set()).add(status))
  }
  beforeAll(async () => {
    database = await create()
    environment = await startTestEnvironment(database)
  })
  afterAll(async () => {
    await environment.close()
    await database.remove()
  })

  it.each(operationIds)('%s responds as declared', async (id) => {
    const violations: string[] = []
    for (const statusCase of await statusCasesOf(id, environment)) {
      const response = await environment[statusCase.application ?? 'exchange'](statusCase.request)
      const found = statusViolations(id, statusCase, response)
      if (found.length > 0) violations.push(`${statusCase.label}: ${found.join(', ')}`)
      else record(id, response.status)
    }
    expect(violations).toEqual([])
  })

  it.each([...new Set(operationIds.map((id) => routeTable[id].path))])(
    'has no other methods on %s than it declares',
    async (path) => {
      const methods = operationIds.map((id) => routeTable[id]).filter((route) => route.path === path)
      const allowed = new Set<string>(['HEAD', 'OPTIONS', ...methods.map(({ method }) => method)])
      if (!allowed.has('GET')) allowed.delete('HEAD')
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'PROPFIND']) {
        if (allowed.has(method)) continue
        const response = await environment.exchange({ method, target: path, headers: secure() })
        expect([method, response.status]).toEqual([method, 405])
        if (method !== 'HEAD') expect(routingViolationsOf(response)).toEqual([])
        expect(new Set(response.headers.allow?.split(', '))).toEqual(allowed)
      }
    },
  )

  describe('rate limits', () => {
    // A caller that has reached the limit is rejected by every operation.
    it('apply to every operation', { timeout: 120_000 }, async () => {
      const { home, fixture } = environment
      const caller = await keyOf(fixture.store, home.owner)
      const address = { 'x-forwarded-for': randomAddress() }
      const call = (id: OperationId, by: typeof caller | typeof address) =>
        environment.exchange(requestOf(id, {}, { ...address, ...by }))
      await exhaust(defaultPolicy.quota, () => call('getOrganization', caller))
      await exhaust(defaultPolicy.quota, () => call('getSignInOptions', address))
      await exhaust(reportingPolicy.quota, () => call('listNodeUsage', caller))
      for (const id of operationIds) {
        const response = await call(id, routeTable[id].public === true ? address : caller)
        expect([id, response.status, violationsOf(id, response)]).toEqual([id, 429, []])
        expect(response.headers['ratelimit']).toMatch(/^"(default|reporting)";r=0;t=\d+$/)
        record(id, 429)
      }
    })

    it('report the remaining requests', async () => {
      const caller = await keyOf(environment.fixture.store, environment.home.owner)
      const first = await environment.send('getOrganization', {}, caller)
      const second = await environment.send('getNode', { path: { id: 'nonsense' } }, caller)
      const report = await environment.send('listNodeUsage', {}, caller)
      expect(
        [first, second, report].map(({ headers }) => [headers['ratelimit-policy'], headers['ratelimit']]),
      ).toEqual([
        ['"default";q=600;w=60', expect.stringMatching(/^"default";r=599;t=(60|59)$/)],
        ['"default";q=600;w=60', expect.stringMatching(/^"default";r=598;t=\d\d$/)],
        ['"reporting";q=60;w=60', expect.stringMatching(/^"reporting";r=59;t=\d\d$/)],
      ])
    })
  })

  it('responds with 503 while the database is unavailable', async () => {
    const closedDatabase = await create()
    const offline = await startTestEnvironment(closedDatabase)
    onTestFinished(async () => {
      await offline.close()
      await closedDatabase.remove()
    })
    const requests = new Map<OperationId, WireRequest>()
    for (const id of operationIds) {
      if (isExempt(id, 503) || covered.get(id)?.has(503) === true) continue
      const { caller = offline.home.key, ...input } = await validRequests[id](offline)
      requests.set(id, requestOf(id, input, caller))
    }
    await offline.fixture.store.close()
    for (const [id, request] of requests) {
      const response = await offline.exchange(request)
      expect([id, response.status, violationsOf(id, response)]).toEqual([id, 503, []])
      record(id, 503)
    }
  })

  it('covers every declared status', () => {
    const missing = operationIds.flatMap((id) =>
      Object.keys(routeTable[id].responses)
        .map(Number)
        .filter((status) => covered.get(id)?.has(status) !== true && !isExempt(id, status))
        .map((status) => `${id} ${status}`),
    )
    expect(missing).toEqual([])
  })
})

function isExempt(id: OperationId, status: number): boolean {
  return uncovered.some(
    (entry) => entry.status === status && (entry.operation === 'all' || entry.operation === id),
  )
}

function statusViolations(
  id: OperationId,
  { status, field, header }: StatusCase,
  response: WireResponse,
): string[] {
  return [
    ...(response.status === status ? [] : [`${response.status} instead of ${status}`]),
    ...violationsOf(id, response),
    ...(field === undefined || namesField(response, field) ? [] : [`no error for the field ${field}`]),
    ...(header === undefined || header[1].test(String(response.headers[header[0]]))
      ? []
      : [`${header[0]} has another form`]),
  ]
}

function namesField({ body }: WireResponse, field: string): boolean {
  if (body === '') return false
  const { error } = JSON.parse(body) as { error?: { fields?: Readonly<Record<string, unknown>> } }
  return Object.keys(error?.fields ?? {}).some((name) => name === field || name.startsWith(`${field}.`))
}

async function exhaust(quota: number, call: () => Promise<WireResponse>): Promise<void> {
  for (let sent = 0; sent < quota; sent += 20) await Promise.all(Array.from({ length: 20 }, call))
}

const secure = () => ({ 'x-forwarded-for': randomAddress(), 'x-forwarded-proto': 'https' })
