import { canary } from '@fairlead/vitest/arbitrary-value'
import { sample } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allScopes } from '@fairlead/platform-server/identity/scopes'
import { backends, type TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { type GeneratedRequest, arbitraryRequest, callersOf } from './arbitrary-request.ts'
import { complaintsOf, complaintsOutside } from './contract-violations.ts'
import { type Caller, keyOf, sessionOf } from './caller.ts'
import type { WireAnswer } from './http-exchange.ts'
import { foreignName, startWorld, type World } from './test-environment.ts'

const asked = process.env['FAIRLEAD_GENERATED_REQUESTS']
const seed = Number(process.env['FAIRLEAD_GENERATED_SEED'] ?? 20_260_309)
const usual: Readonly<Record<string, number>> = { embedded: 300, postgresql: 300 }
// Number of requests for the same objects. After that, new objects replace the changed and deleted ones.
const roundLength = 250

describe.each(backends)('generated requests on $name', ({ name, create }) => {
  let database: TemporaryDatabase
  let world: World
  beforeAll(async () => {
    database = await create()
    world = await startWorld(database)
  })
  afterAll(async () => {
    await world.close()
    await database.remove()
  })

  it('are answered as the document says, and leak nothing', { timeout: 1_800_000 }, async () => {
    const count = asked === undefined ? (usual[name] ?? 0) : Number(asked)
    if (asked !== undefined) process.stdout.write(`${count} requests of the seed ${seed}\n`)
    const secrets = new Set<string>([canary, world.password])
    const statuses = new Map<number, number>()
    // One example of each kind.
    const wrong = new Map<string, object>()
    for (let round = 0; round * roundLength < count; round++) {
      const callers = await newCallers(world, round)
      for (const caller of callers) for (const secret of secretsOfCaller(caller)) secrets.add(secret)
      const home = await world.refilled()
      const material = { callers, estates: [home, world.foreign.ids], hook: world.receiver.url }
      const numRuns = Math.min(roundLength, count - round * roundLength)
      const requests = sample(arbitraryRequest(material), { numRuns, seed: seed + round })
      await inTurn(requests, async (generated) => {
        const answer = await world.exchange(generated.request)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        for (const secret of secretsOfAnswer(answer)) secrets.add(secret)
        for (const complaint of wrongAbout(generated, answer)) {
          const about = `${generated.id} ${answer.status}: ${complaint}`
          if (!wrong.has(about)) wrong.set(about, { ...told(generated), answer: answer.body.slice(0, 2_000) })
        }
      })
    }
    if (asked !== undefined)
      process.stdout.write(`${name}: ${JSON.stringify(Object.fromEntries(statuses))}\n`)
    expect([...wrong]).toEqual([])
    // A sufficient share of the requests has to pass authentication and validation.
    expect((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)).toBeGreaterThan(count / 20)
    const log = world.fixture.log()
    expect(log.split('\n').filter((line) => line.includes('"request failed"'))).toEqual([])
    expect([...secrets].filter((secret) => log.includes(secret))).toEqual([])
  })
})

function wrongAbout({ id, request }: GeneratedRequest, answer: WireAnswer): readonly string[] {
  // A path that no longer belongs to an operation.
  const isOutside = answer.status === 404 || answer.status === 405
  const isFailure = answer.status >= 500
  const byDocument = isOutside ? complaintsOutside(answer) : complaintsOf(id, answer)
  const isLeaking = answer.body.includes(foreignName) && !JSON.stringify(request).includes(foreignName)
  return [
    ...byDocument,
    ...(isFailure ? ['is a failure'] : []),
    ...(isLeaking ? ['tells of another organization'] : []),
  ]
}

/** Returns callers of all kinds that have not reached their limits. */
async function newCallers({ fixture: { store }, home }: World, round: number): Promise<readonly Caller[]> {
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
  const some = allScopes[(seed + round) % allScopes.length] ?? 'org:read'
  const { cookie = '' } = await sessionOf(store, admin)
  return callersOf(full, [
    await sessionOf(store, editor),
    await keyOf(store, viewer),
    await keyOf(store, owner, [some]),
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

function secretsOfAnswer({ status, headers, body }: WireAnswer): string[] {
  const cookies = [headers['set-cookie'] ?? []].flat().map((cookie) => /=([^;]{10,})/.exec(cookie)?.[1] ?? '')
  const fields = status < 300 ? [...body.matchAll(secretFields)].map((match) => match[1] ?? '') : []
  // The prefix of an API key is not secret.
  return [...cookies, ...fields]
    .map((secret) => secret.split('.').at(-1) ?? '')
    .filter((secret) => secret !== '')
}

function told({ id, request }: GeneratedRequest) {
  return { seed, id, target: request.target, body: request.body?.slice(0, 2_000), headers: request.headers }
}

/** Sends a few requests at a time, as a busy gateway receives them. */
async function inTurn<item>(items: readonly item[], work: (item: item) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const take = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, take))
}
