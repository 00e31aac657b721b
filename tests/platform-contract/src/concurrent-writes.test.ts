import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { backends, type TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { type Caller, keyOf, sessionOf, unauthenticated } from './caller.ts'
import { validRequests } from './valid-requests.ts'
import type { RequestInput } from './request-input.ts'
import { startTestEnvironment, type TestEnvironment } from './test-environment.ts'

const concurrency = 8

describe.each(backends)('concurrent requests on $name', ({ create }) => {
  let database: TemporaryDatabase
  let environment: TestEnvironment
  let key: Caller
  beforeAll(async () => {
    database = await create()
    environment = await startTestEnvironment(database)
    key = await keyOf(environment.fixture.store, environment.home.owner)
  })
  afterAll(async () => {
    await environment.close()
    await database.remove()
  })

  /** Sends the same request several times concurrently and returns the statuses in ascending order. */
  const sendConcurrently = async (id: OperationId, input: RequestInput, caller: Caller = key) => {
    const responses = await Promise.all(
      Array.from({ length: concurrency }, () => environment.send(id, input, caller)),
    )
    return responses.map(({ status }) => status).toSorted((a, b) => a - b)
  }
  const onceStatuses = (success: number, conflict: number) => [
    success,
    ...Array.from({ length: concurrency - 1 }, () => conflict),
  ]

  it('send one invitation', async () => {
    const body = { email: 'at-once@example.test', role: 'viewer' }
    expect(await sendConcurrently('createInvitation', { body })).toEqual(onceStatuses(201, 409))
  })

  it('accept an invitation once', async () => {
    const { caller: _, ...input } = await validRequests.acceptInvitation(environment)
    expect(await sendConcurrently('acceptInvitation', input, unauthenticated)).toEqual(onceStatuses(201, 404))
  })

  it('create a rule once', async () => {
    const { caller: _, ...input } = await validRequests.createAccessRule(environment)
    expect(await sendConcurrently('createAccessRule', input)).toEqual(onceStatuses(201, 409))
  })

  it('replace a credential once', async () => {
    const { caller: _, ...input } = await validRequests.rotateCredential(environment)
    expect(await sendConcurrently('rotateCredential', input)).toEqual(onceStatuses(201, 409))
  })

  it.each([
    'deleteProject',
    'deleteNode',
    'deleteAccessRule',
    'deleteWebhook',
    'deleteInvitation',
    'removeMember',
  ] as const)('%s deletes once, with one audit log entry', async (id) => {
    const { caller: _, ...input } = await validRequests[id](environment)
    expect(await sendConcurrently(id, input)).toEqual(onceStatuses(204, 404))
    const object = Object.values(input.path ?? {}).at(-1) ?? ''
    const { body } = await environment.send('listAuditLog', { query: { object_id: object } }, key)
    expect(body.match(/"action":"[a-z_]+\.delete"/g)).toHaveLength(1)
  })

  it.each([
    'updateOrganization',
    'updateProject',
    'updateNode',
    'updateMember',
    'updateApiKey',
    'updateWebhook',
  ] as const)('%s succeeds once for requests with the same version', async (id) => {
    const { caller: _, ...input } = await validRequests[id](environment)
    const first = await environment.send(id, input, key)
    const headers = { 'if-match': first.headers.etag ?? '' }
    // A different value each time, because a request without a change does not increment the version.
    const responses = await Promise.all(
      Array.from({ length: concurrency }, (__, index) =>
        environment.send(id, { ...input, body: changedBody(input.body, `${index}`), headers }, key),
      ),
    )
    const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual(onceStatuses(200, 412))
  })

  // The last test, because it changes the owner.
  it('leave one owner, whichever member becomes the owner', async () => {
    const { home, fixture } = environment
    const members = await Promise.all(Array.from({ length: 4 }, () => home.member('admin')))
    const owner = await sessionOf(fixture.store, home.owner)
    const responses = await Promise.all(
      members.map((id) => environment.send('updateMember', { path: { id }, body: { role: 'owner' } }, owner)),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
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
