import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { backends, type TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { type Caller, keyOf, nobody } from './caller.ts'
import { goodRequests } from './valid-requests.ts'
import type { Given } from './request-input.ts'
import { startWorld, type World } from './test-environment.ts'

const atOnce = 8

describe.each(backends)('requests at the same moment on $name', ({ create }) => {
  let database: TemporaryDatabase
  let world: World
  let key: Caller
  beforeAll(async () => {
    database = await create()
    world = await startWorld(database)
    key = await keyOf(world.fixture.store, world.home.owner)
  })
  afterAll(async () => {
    await world.close()
    await database.remove()
  })

  /** Sends the same request several times concurrently and returns the statuses in ascending order. */
  const together = async (id: OperationId, given: Given, caller: Caller = key) => {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => world.send(id, given, caller)))
    return answers.map(({ status }) => status).toSorted((a, b) => a - b)
  }
  const once = (success: number, refusal: number) => [
    success,
    ...Array.from({ length: atOnce - 1 }, () => refusal),
  ]

  it('send one invitation', async () => {
    const body = { email: 'at-once@example.test', role: 'viewer' }
    expect(await together('createInvitation', { body })).toEqual(once(201, 409))
  })

  it('accept an invitation once', async () => {
    const { caller: _, ...given } = await goodRequests.acceptInvitation(world)
    expect(await together('acceptInvitation', given, nobody)).toEqual(once(201, 404))
  })

  it('make a rule once', async () => {
    const { caller: _, ...given } = await goodRequests.createAccessRule(world)
    expect(await together('createAccessRule', given)).toEqual(once(201, 409))
  })

  it('replace a credential once', async () => {
    const { caller: _, ...given } = await goodRequests.rotateCredential(world)
    expect(await together('rotateCredential', given)).toEqual(once(201, 409))
  })

  it.each([
    'deleteProject',
    'deleteNode',
    'deleteAccessRule',
    'deleteWebhook',
    'deleteInvitation',
    'removeMember',
  ] as const)('%s deletes once, and says so once in the audit log', async (id) => {
    const { caller: _, ...given } = await goodRequests[id](world)
    expect(await together(id, given)).toEqual(once(204, 404))
    const object = Object.values(given.path ?? {}).at(-1) ?? ''
    const { body } = await world.send('listAuditLog', { query: { object_id: object } }, key)
    expect(body.match(/"action":"[a-z_]+\.delete"/g)).toHaveLength(1)
  })

  it.each([
    'updateOrganization',
    'updateProject',
    'updateNode',
    'updateMember',
    'updateApiKey',
    'updateWebhook',
  ] as const)('%s is made by one of those who know the same version', async (id) => {
    const { caller: _, ...given } = await goodRequests[id](world)
    const first = await world.send(id, given, key)
    const headers = { 'if-match': first.headers.etag ?? '' }
    // A different value each time, because a request without a change does not increment the version.
    const answers = await Promise.all(
      Array.from({ length: atOnce }, (__, index) =>
        world.send(id, { ...given, body: changedBody(given.body, `${index}`), headers }, key),
      ),
    )
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual(once(200, 412))
  })

  // The last test, because it changes the owner.
  it('leave one owner, whichever member becomes the owner', async () => {
    const { home, fixture } = world
    const members = await Promise.all(Array.from({ length: 4 }, () => home.member('admin')))
    const answers = await Promise.all(
      members.map((id) => world.send('updateMember', { path: { id }, body: { role: 'owner' } }, key)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const owners = await fixture.store.db
      .selectFrom('memberships')
      .select('user_id')
      .where('organization_id', '=', home.organizationId)
      .where('role', '=', 'owner')
      .execute()
    expect(owners).toHaveLength(1)
    expect(members).toContain(owners[0]?.user_id)
  })
})

function changedBody(body: unknown, text: string): object {
  return Object.fromEntries(
    Object.entries(body as object).map(([name, value]) => [name, `${String(value)} ${text}`]),
  )
}
