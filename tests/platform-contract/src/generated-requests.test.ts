import { canary } from '@fairlead/vitest/arbitrary-value'
import { sample } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allScopes } from '@fairlead/platform-server/identity/scopes'
import { backends } from '@fairlead/platform-server/testing/temporary-store'
import { type GeneratedRequest, arbitraryRequest, callersOf } from './arbitrary-request.ts'
import { violationsOf, routingViolationsOf } from './contract-violations.ts'
import { type Caller, keyOf, sessionOf } from './caller.ts'
import type { WireResponse } from './http-exchange.ts'
import { foreignName, type TestEnvironment } from './test-environment.ts'
import { useTestEnvironment } from './use-test-environment.ts'

const requestedCount = process.env['FAIRLEAD_GENERATED_REQUESTS']
const seed = Number(process.env['FAIRLEAD_GENERATED_SEED'] ?? 20_260_309)
const defaultCounts: Readonly<Record<string, number>> = { embedded: 300, postgresql: 300 }
// Number of requests for the same objects. After that, new objects replace the changed and deleted ones.
const roundLength = 250

describe.each(backends)('generated requests on $name', ({ name, create }) => {
  const testEnvironment = useTestEnvironment(create)

  it('get the documented responses, and reveal nothing', { timeout: 1_800_000 }, async () => {
    const count = requestedCount === undefined ? (defaultCounts[name] ?? 0) : Number(requestedCount)
    if (requestedCount !== undefined) process.stdout.write(`${count} requests of the seed ${seed}\n`)
    const environment = testEnvironment()
    const secrets = new Set<string>([canary, environment.password])
    const statuses = new Map<number, number>()
    // One example of each kind.
    const failures = new Map<string, object>()
    for (let round = 0; round * roundLength < count; round++) {
      const callers = await createCallers(environment, round)
      for (const caller of callers) for (const secret of secretsOfCaller(caller)) secrets.add(secret)
      const home = await environment.reseed()
      const material = { callers, idSets: [home, environment.foreign.ids], hook: environment.receiver.url }
      const numRuns = Math.min(roundLength, count - round * roundLength)
      const requests = sample(arbitraryRequest(material), { numRuns, seed: seed + round })
      await forEachConcurrently(requests, async (generated) => {
        const response = await environment.exchange(generated.request)
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        for (const secret of secretsOfResponse(response)) secrets.add(secret)
        for (const violation of responseViolations(generated, response)) {
          const about = `${generated.id} ${response.status}: ${violation}`
          if (!failures.has(about))
            failures.set(about, { ...reproductionOf(generated), response: response.body.slice(0, 2_000) })
        }
      })
    }
    if (requestedCount !== undefined)
      process.stdout.write(`${name}: ${JSON.stringify(Object.fromEntries(statuses))}\n`)
    expect([...failures]).toEqual([])
    // A sufficient share of the requests has to pass authentication and validation.
    expect((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)).toBeGreaterThan(count / 20)
    const log = environment.fixture.log()
    expect(log.split('\n').filter((line) => line.includes('"request failed"'))).toEqual([])
    expect([...secrets].filter((secret) => log.includes(secret))).toEqual([])
  })
})

function responseViolations({ id, request }: GeneratedRequest, response: WireResponse): readonly string[] {
  // A path that no longer belongs to an operation.
  const isOutside = response.status === 404 || response.status === 405
  const isFailure = response.status >= 500
  const byDocument = isOutside ? routingViolationsOf(response) : violationsOf(id, response)
  const isLeaking = response.body.includes(foreignName) && !JSON.stringify(request).includes(foreignName)
  return [
    ...byDocument,
    ...(isFailure ? ['is a failure'] : []),
    ...(isLeaking ? ['reveals another organization'] : []),
  ]
}

/** Returns callers of all kinds that have not reached their limits. */
async function createCallers(
  { fixture: { store }, home }: TestEnvironment,
  round: number,
): Promise<readonly Caller[]> {
  const { owner, organizationId } = home
  const admin = { organizationId, userId: await home.member('admin') }
  const editor = { organizationId, userId: await home.member('editor') }
  const viewer = { organizationId, userId: await home.member('viewer') }
  const full = [
    await keyOf(store, owner),
    await keyOf(store, owner),
    await sessionOf(store, owner),
    await keyOf(store, admin),
  ]
  const scope = allScopes[(seed + round) % allScopes.length] ?? 'org:read'
  const { cookie = '' } = await sessionOf(store, admin)
  return callersOf(full, [
    await sessionOf(store, editor),
    await keyOf(store, viewer),
    await keyOf(store, owner, [scope]),
    { cookie },
  ])
}

function secretsOfCaller(caller: Caller): string[] {
  return Object.values(caller)
    .map((text) => text.replace(/^Bearer /, '').replace(/^.*session=/, ''))
    .map((secret) => secret.split('.').at(-1) ?? '')
    .filter((secret) => secret.length > 10)
}

const secretFields = /"(?:token|key|password|secret|csrf_token)":"([^"]{10,})"/g

function secretsOfResponse({ status, headers, body }: WireResponse): string[] {
  const cookies = [headers['set-cookie'] ?? []].flat().map((cookie) => /=([^;]{10,})/.exec(cookie)?.[1] ?? '')
  const fields = status < 300 ? [...body.matchAll(secretFields)].map((match) => match[1] ?? '') : []
  // The prefix of an API key is not secret.
  return [...cookies, ...fields]
    .map((secret) => secret.split('.').at(-1) ?? '')
    .filter((secret) => secret !== '')
}

function reproductionOf({ id, request }: GeneratedRequest) {
  return { seed, id, target: request.target, body: request.body?.slice(0, 2_000), headers: request.headers }
}

/** Sends a few requests at a time, as a busy gateway receives them. */
async function forEachConcurrently<item>(
  items: readonly item[],
  run: (item: item) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}
