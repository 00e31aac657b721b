import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { postgresPrograms } from '@fairlead/vitest/postgres'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { insertEvent } from '@fairlead/platform-server/records/webhook-events'
import { allRows } from '@fairlead/platform-server/testing/all-rows'
import { backends, type TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { startDeliverer } from '@fairlead/platform-server/webhooks/start-deliverer'
import { keyOf } from './caller.ts'
import { goodRequests } from './valid-requests.ts'
import { startWorld, type World } from './test-environment.ts'

// Operations that create, return or accept a secret.
const secretive: readonly OperationId[] = [
  'createApiKey',
  'rotateApiKey',
  'createInvitation',
  'acceptInvitation',
  'createSession',
  'changePassword',
  'createNode',
  'updateNode',
  'createCredential',
  'rotateCredential',
  'revealCredential',
  'createWebhook',
  'updateWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'beginOidcSignIn',
]

const userName = 'canary-user-51c2'
const password = 'canary-password-88d0'
const path = 'canary-path-19ab'

describe.each(backends)('secrets that were told once, on $name', ({ name, create }) => {
  let database: TemporaryDatabase
  let world: World
  const secrets = new Map<string, string>()
  beforeAll(async () => {
    database = await create()
    world = await startWorld(database)
    const { home, fixture } = world
    const upstreams = { evm: `http://${userName}:${password}@127.0.0.1:9/${path}#weight=3` }
    const own: Readonly<Partial<Record<OperationId, object>>> = {
      createNode: {
        project: home.ids.project,
        name: 'With secrets',
        chain: 'ethereum',
        network: 'mainnet',
        upstreams,
      },
      updateNode: { upstreams },
      createWebhook: { url: `${world.receiver.url}&key=${path}`, events: ['quota.warning'] },
      updateWebhook: { url: `${world.receiver.url}&key=${path}` },
    }
    const key = await keyOf(fixture.store, home.owner)
    for (const id of secretive) {
      const { caller = key, ...given } = await goodRequests[id](world)
      const body = own[id] ?? given.body
      const answer = await world.send(id, { ...given, body }, caller)
      if (answer.status >= 400) throw new Error(`${id} was answered ${answer.status}: ${answer.body}`)
      for (const secret of [...secretsIn(body), ...secretsIn(caller), ...secretsOfAnswer(answer.body)]) {
        secrets.set(secret, id)
      }
      for (const cookie of answer.headers['set-cookie'] ?? []) {
        secrets.set(/=([^;]*)/.exec(cookie)?.[1] ?? '', id)
      }
    }
    for (const [canary, what] of [
      [userName, 'upstream'],
      [password, 'upstream'],
      [path, 'address'],
    ] as const) {
      secrets.set(canary, what)
    }
    const { first } = fixture
    for (const secret of [first.apiKey.slice(9), first.token, first.password])
      secrets.set(secret, 'first start')
    await deliverOne(world)
  })
  afterAll(async () => {
    await world.close()
    await database.remove()
  })

  /** Returns the secrets that occur in a text. */
  const comingUpIn = (text: string) =>
    [...secrets].filter(([secret]) => text.includes(secret)).map(([, of]) => of)

  it('are many', () => {
    expect(secrets.size).toBeGreaterThan(25)
    expect([...secrets.keys()].filter((secret) => secret.length < 12)).toEqual([])
    expect(comingUpIn([...secrets.keys()].join('\n'))).toHaveLength(secrets.size)
  })

  it('stand in no table', async () => {
    const rows = await allRows(world.fixture.store.db)
    expect(rows.length).toBeGreaterThan(50)
    expect(comingUpIn(rows.join('\n'))).toEqual([])
  })

  it.skipIf(name !== 'postgresql' || postgresPrograms === undefined)('stand in no dump', async () => {
    const program = join(postgresPrograms ?? '', 'pg_dump')
    const options = { maxBuffer: 64 * 1024 * 1024 }
    const { stdout } = await promisify(execFile)(program, ['--inserts', database.databaseUrl ?? ''], options)
    expect(stdout).toContain(world.home.ids.node)
    expect(comingUpIn(stdout)).toEqual([])
  })

  it('stand in no line of the log', () => {
    const log = world.fixture.log()
    expect(log.split('\n').length).toBeGreaterThan(secretive.length)
    expect(comingUpIn(log)).toEqual([])
  })

  it('stand in no entry of the audit log', async () => {
    const key = await keyOf(world.fixture.store, world.home.owner)
    const { body } = await world.send('listAuditLog', {}, key)
    const actions = new Set([...body.matchAll(/"action":"([a-z_.]+)"/g)].map((match) => match[1]))
    for (const action of [
      'api_key.create',
      'credential.reveal',
      'node.create',
      'webhook.rotate',
      'password.change',
    ]) {
      expect(actions).toContain(action)
    }
    expect(comingUpIn(body)).toEqual([])
  })

  it('stand in no later answer', async () => {
    const key = await keyOf(world.fixture.store, world.home.owner)
    // The URL path of a webhook belongs to its owner, and is returned to the owner.
    for (const id of ['listApiKeys', 'listInvitations', 'listNodes', 'listMembers'] as const) {
      const { body } = await world.send(id, {}, key)
      expect([id, comingUpIn(body)]).toEqual([id, []])
    }
    const { results } = JSON.parse((await world.send('listNodes', {}, key)).body) as {
      readonly results: readonly { readonly id: string }[]
    }
    for (const { id } of results) {
      expect(comingUpIn((await world.send('listCredentials', { path: { id } }, key)).body)).toEqual([])
      expect(comingUpIn((await world.send('listNodeUpstreams', { path: { id } }, key)).body)).toEqual([])
    }
  })

  it('are in no body that webhooks are sent', () => {
    const bodies = world.receiver.received.map(({ body }) => body)
    expect(bodies.some((body) => body.includes('quota.warning'))).toBe(true)
    expect(comingUpIn(bodies.join('\n'))).toEqual([])
  })
})

/** Triggers the delivery of one event of a subscribed type. */
async function deliverOne({ fixture: { store }, home: { organizationId }, receiver }: World): Promise<void> {
  await insertEvent(store.db, { organizationId, type: 'quota.warning', at: Date.now(), data: {} })
  const deliverer = startDeliverer({ store, log: pino({ enabled: false }), send: { isPrivateAllowed: true } })
  const isThere = () => receiver.received.some(({ body }) => body.includes('quota.warning'))
  try {
    await vi.waitFor(() => expect(isThere()).toBe(true), { timeout: 20_000 })
  } finally {
    await deliverer.stop()
  }
}

const secretName =
  /^(token|key|password|secret|csrf_token|current_password|new_password|cookie|x-csrf-token|authorization)$/

/** Returns secrets in a request, by the names of their fields. */
function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => {
    if (typeof field !== 'string') return secretsIn(field)
    // The prefix of an API key is not secret.
    return secretName.test(name) ? [field.replace(/^Bearer |^.*session=/, '').replace(/^\w{8}\./, '')] : []
  })
}

function secretsOfAnswer(body: string): string[] {
  return body === '' ? [] : secretsIn(JSON.parse(body))
}
