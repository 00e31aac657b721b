import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { insertMember } from '@fairlead/platform-server/records/organizations'
import { insertEvent } from '@fairlead/platform-server/records/webhook-events'
import { unauthenticated, sessionOf } from './caller.ts'
import type { ValidRequestFactory } from './valid-requests.ts'
import type { RequestInput } from './request-input.ts'
import type { TestEnvironment } from './test-environment.ts'

/** Sends a prerequisite request of a conflict, which must succeed. */
async function perform(
  environment: TestEnvironment,
  id: OperationId,
  input: RequestInput,
): Promise<Record<string, unknown>> {
  const { status, body } = await environment.send(id, input, environment.home.key)
  if (status >= 300) throw new Error(`${id} returned ${status}: ${body}`)
  return body === '' ? {} : (JSON.parse(body) as Record<string, unknown>)
}

async function revokedCredential(
  environment: TestEnvironment,
): Promise<{ id: string; credential_id: string }> {
  const path = { id: environment.home.ids.node, credential_id: await environment.home.credential() }
  await perform(environment, 'revokeCredential', { path })
  return path
}

async function revokedKey(environment: TestEnvironment): Promise<{ id: string }> {
  const path = { id: await environment.home.apiKey() }
  await perform(environment, 'revokeApiKey', { path })
  return path
}

/** Operations whose valid request returns 409 when the organization has the maximum number of records. */
export const limitedCreations: readonly OperationId[] = [
  'createApiKey',
  'createCredential',
  'createInvitation',
  'createNode',
  'createProject',
  'createWebhook',
]

/** For every other operation that can return 409: a request that does, with its prerequisites. */
export const conflicts: Readonly<Partial<Record<OperationId, ValidRequestFactory>>> = {
  acceptInvitation: async ({ fixture, home }) => {
    const { token, email } = await home.invitation()
    const user = { email, firstName: 'T', lastName: 'B' }
    await insertMember(fixture.store.db, { organizationId: home.organizationId, role: 'viewer', user })
    const names = { first_name: 'Tomas', last_name: 'Berg' }
    return { body: { token, password: 'seven bells before the fog', ...names }, caller: unauthenticated }
  },
  changePassword: async ({ fixture, home: { member, organizationId } }) => ({
    caller: await sessionOf(fixture.store, { organizationId, userId: await member() }),
    body: { current_password: 'none at all', new_password: 'seven bells before the fog' },
  }),
  createAccessRule: async ({ home }) => {
    await home.rule('twice.example')
    return { path: { id: home.ids.node }, body: { kind: 'origin', value: 'twice.example', action: 'allow' } }
  },
  createInvitation: ({ ownerEmail: email }) => ({ body: { email, role: 'viewer' } }),
  deleteNode: ({ fixture }) => ({ path: { id: fixture.first.nodeId } }),
  deleteProject: ({ home }) => ({ path: { id: home.ids.project } }),
  probeNodeMethods: async (environment) => {
    const node = {
      project: environment.home.ids.project,
      name: 'Consensus',
      chain: 'ethereum',
      network: 'mainnet',
    }
    const body = { ...node, upstreams: { beacon: 'http://192.0.2.1:5052' } }
    const { id } = await perform(environment, 'createNode', { body })
    return { path: { id: String(id) } }
  },
  removeMember: ({ home }) => ({ path: { id: home.owner.userId } }),
  resendWebhookDelivery: async ({ fixture, home: { organizationId, ids } }) => {
    const { db } = fixture.store
    await insertEvent(db, { organizationId, type: 'quota.warning', at: Date.now(), data: {} })
    const { id } = await db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('webhook_id', '=', ids.webhook)
      .where('state', '=', 'pending')
      .executeTakeFirstOrThrow()
    return { path: { id: ids.webhook, delivery_id: id } }
  },
  revealCredential: async (environment) => ({ path: await revokedCredential(environment) }),
  rotateApiKey: async (environment) => ({ path: await revokedKey(environment), body: {} }),
  rotateCredential: async (environment) => ({ path: await revokedCredential(environment), body: {} }),
  updateAccessRule: async ({ home }) => {
    await home.rule('taken.example')
    const path = { id: home.ids.node, rule_id: await home.rule() }
    return { path, body: { value: 'taken.example' } }
  },
  updateApiKey: async (environment) => ({ path: await revokedKey(environment), body: { name: 'x' } }),
  updateCredential: async (environment) => ({
    path: await revokedCredential(environment),
    body: { label: 'x' },
  }),
  updateMember: ({ home }) => ({ path: { id: home.owner.userId }, body: { disabled: true } }),
  updateNode: ({ fixture }) => ({ path: { id: fixture.first.nodeId }, body: { network: 'other' } }),
}
