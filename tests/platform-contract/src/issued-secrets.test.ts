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
import { validRequests } from './valid-requests.ts'
import { startTestEnvironment, type TestEnvironment } from './test-environment.ts'

// Operations that create, return or accept a secret.
const operationsWithSecrets: readonly OperationId[] = [
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

describe.each(backends)('secrets that are returned once, on $name', ({ name, create }) => {
  let database: TemporaryDatabase
  let environment: TestEnvironment
  const secrets = new Map<string, string>()
  beforeAll(async () => {
    database = await create()
    environment = await startTestEnvironment(database)
    const { home, fixture } = environment
    const upstreams = { evm: `http://${userName}:${password}@127.0.0.1:9/${path}#weight=3` }
    const bodies: Readonly<Partial<Record<OperationId, object>>> = {
      createNode: {
        project: home.ids.project,
        name: 'With secrets',
        chain: 'ethereum',
        network: 'mainnet',
        upstreams,
      },
      updateNode: { upstreams },
      createWebhook: { url: `${environment.receiver.url}&key=${path}`, events: ['quota.warning'] },
      updateWebhook: { url: `${environment.receiver.url}&key=${path}` },
    }
    const key = await keyOf(fixture.store, home.owner)
    for (const id of operationsWithSecrets) {
      const { caller = key, ...input } = await validRequests[id](environment)
      const body = bodies[id] ?? input.body
      const response = await environment.send(id, { ...input, body }, caller)
      if (response.status >= 400) throw new Error(`${id} returned ${response.status}: ${response.body}`)
      for (const secret of [...secretsIn(body), ...secretsIn(caller), ...secretsOfResponse(response.body)]) {
        secrets.set(secret, id)
      }
      for (const cookie of response.headers['set-cookie'] ?? []) {
        secrets.set(/=([^;]*)/.exec(cookie)?.[1] ?? '', id)
      }
    }
    for (const [canary, source] of [
      [userName, 'upstream'],
      [password, 'upstream'],
      [path, 'address'],
    ] as const) {
      secrets.set(canary, source)
    }
    const { first } = fixture
    for (const secret of [first.apiKey.slice(9), first.token, first.password])
      secrets.set(secret, 'first start')
    await deliverEvent(environment)
  })
  afterAll(async () => {
    await environment.close()
    await database.remove()
  })

  /** Returns the secrets that occur in a text. */
  const secretsFoundIn = (text: string) =>
    [...secrets].filter(([secret]) => text.includes(secret)).map(([, source]) => source)

  it('are collected', () => {
    expect(secrets.size).toBeGreaterThan(25)
    expect([...secrets.keys()].filter((secret) => secret.length < 12)).toEqual([])
    expect(secretsFoundIn([...secrets.keys()].join('\n'))).toHaveLength(secrets.size)
  })

  it('are in no table', async () => {
    const rows = await allRows(environment.fixture.store.db)
    expect(rows.length).toBeGreaterThan(50)
    expect(secretsFoundIn(rows.join('\n'))).toEqual([])
  })

  it.skipIf(name !== 'postgresql' || postgresPrograms === undefined)('are in no dump', async () => {
    const program = join(postgresPrograms ?? '', 'pg_dump')
    const options = { maxBuffer: 64 * 1024 * 1024 }
    const { stdout } = await promisify(execFile)(program, ['--inserts', database.databaseUrl ?? ''], options)
    expect(stdout).toContain(environment.home.ids.node)
    expect(secretsFoundIn(stdout)).toEqual([])
  })

  it('are in no log line', () => {
    const log = environment.fixture.log()
    expect(log.split('\n').length).toBeGreaterThan(operationsWithSecrets.length)
    expect(secretsFoundIn(log)).toEqual([])
  })

  it('are in no audit log entry', async () => {
    const key = await keyOf(environment.fixture.store, environment.home.owner)
    const { body } = await environment.send('listAuditLog', {}, key)
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
    expect(secretsFoundIn(body)).toEqual([])
  })

  it('are in no later response', async () => {
    const key = await keyOf(environment.fixture.store, environment.home.owner)
    // The URL path of a webhook belongs to its owner, and is returned to the owner.
    for (const id of ['listApiKeys', 'listInvitations', 'listNodes', 'listMembers'] as const) {
      const { body } = await environment.send(id, {}, key)
      expect([id, secretsFoundIn(body)]).toEqual([id, []])
    }
    const { results } = JSON.parse((await environment.send('listNodes', {}, key)).body) as {
      readonly results: readonly { readonly id: string }[]
    }
    for (const { id } of results) {
      expect(secretsFoundIn((await environment.send('listCredentials', { path: { id } }, key)).body)).toEqual(
        [],
      )
      expect(
        secretsFoundIn((await environment.send('listNodeUpstreams', { path: { id } }, key)).body),
      ).toEqual([])
    }
  })

  it('are in no webhook delivery', () => {
    const bodies = environment.receiver.received.map(({ body }) => body)
    expect(bodies.some((body) => body.includes('quota.warning'))).toBe(true)
    expect(secretsFoundIn(bodies.join('\n'))).toEqual([])
  })
})

/** Triggers the delivery of one event of a subscribed type. */
async function deliverEvent({
  fixture: { store },
  home: { organizationId },
  receiver,
}: TestEnvironment): Promise<void> {
  await insertEvent(store.db, { organizationId, type: 'quota.warning', at: Date.now(), data: {} })
  const deliverer = startDeliverer({ store, log: pino({ enabled: false }), send: { isPrivateAllowed: true } })
  const isDelivered = () => receiver.received.some(({ body }) => body.includes('quota.warning'))
  try {
    await vi.waitFor(() => expect(isDelivered()).toBe(true), { timeout: 20_000 })
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

function secretsOfResponse(body: string): string[] {
  return body === '' ? [] : secretsIn(JSON.parse(body))
}
