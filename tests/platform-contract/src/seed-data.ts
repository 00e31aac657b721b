import { randomUUID } from 'node:crypto'
import type { Role } from '@fairlead/platform-server/identity/role'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { insertMember } from '@fairlead/platform-server/records/organizations'
import { insertSession } from '@fairlead/platform-server/records/sessions'
import { newSessionToken } from '@fairlead/platform-server/sessions/session-cookie'
import type { Store } from '@fairlead/platform-server/store/open-store'
import { type Caller, keyOf, type Person } from './caller.ts'
import type { RequestInput } from './request-input.ts'

/** Ids of the objects of an organization, by parameter or field name. */
export interface SeedIds {
  readonly project: string
  readonly node: string
  readonly credential: string
  readonly rule: string
  readonly webhook: string
  readonly delivery: string
  readonly member: string
  readonly invitation: string
  readonly apiKey: string
  readonly session: string
}

/** An organization with one object of each kind, and functions that create more. */
export interface SeedData extends SeedFactories {
  readonly organizationId: string
  readonly owner: Person
  /** An API key of the owner, with all scopes. */
  readonly key: Caller
  readonly ids: SeedIds
}

/** Creates objects. Each function returns the id of a new one. */
export interface SeedFactories {
  project(): Promise<string>
  node(): Promise<string>
  credential(node?: string): Promise<string>
  rule(value?: string): Promise<string>
  webhook(): Promise<string>
  delivery(webhook?: string): Promise<string>
  member(role?: Exclude<Role, 'owner'>): Promise<string>
  invitation(): Promise<{ readonly id: string; readonly token: string; readonly email: string }>
  apiKey(): Promise<string>
  session(): Promise<string>
}

/** Sends a request that must create an object, and returns the object. */
export type Create = (
  id: OperationId,
  input: RequestInput,
  caller: Caller,
) => Promise<Record<string, unknown>>

/** An upstream that no test calls. */
export const upstreams = { evm: 'http://127.0.0.1:9/' }

/**
 * Fills an organization with objects.
 *
 * @param name - part of the name of everything that can have a name
 * @param hook - URL of a webhook receiver
 */
export async function seedOrganization(
  store: Store,
  create: Create,
  { name, owner, hook }: { readonly name: string; readonly owner: Person; readonly hook: string },
): Promise<SeedData> {
  const key = await keyOf(store, owner)
  const createWithKey = async (id: OperationId, body: unknown, path: RequestInput['path'] = {}) =>
    create(id, { path, body }, key)
  const idOf = async (...call: Parameters<typeof createWithKey>) =>
    String((await createWithKey(...call))['id'])
  const project = await idOf('createProject', { name })
  const nodeBody = { project, name, chain: 'ethereum', network: 'mainnet', upstreams }
  const node = await idOf('createNode', nodeBody)
  const email = () => `${name}-${randomUUID()}@example.test`.toLowerCase()
  const createWebhook = () =>
    idOf('createWebhook', { url: hook, description: name, events: ['quota.warning'] })
  const webhook = await createWebhook()
  const factories: SeedFactories = {
    project: () => idOf('createProject', { name }),
    node: () => idOf('createNode', nodeBody),
    credential: (parent = node) => idOf('createCredential', { kind: 'token', label: name }, { id: parent }),
    rule: (value = `${randomUUID()}.example`) =>
      idOf('createAccessRule', { kind: 'origin', value, action: 'deny' }, { id: node }),
    webhook: createWebhook,
    delivery: async (parent = webhook) => {
      await create('testWebhook', { path: { id: parent } }, key)
      const list = await create('listWebhookDeliveries', { path: { id: parent } }, key)
      const [latest] = list['results'] as readonly { readonly id: string }[]
      if (latest === undefined) throw new Error('A test of a webhook left no delivery.')
      return latest.id
    },
    member: (role = 'viewer') => {
      const user = { email: email(), firstName: name, lastName: name }
      return insertMember(store.db, { organizationId: owner.organizationId, role, user })
    },
    invitation: async () => {
      const address = email()
      const { id, token } = await createWithKey('createInvitation', { email: address, role: 'viewer' })
      return { id: String(id), token: String(token), email: address }
    },
    apiKey: () => idOf('createApiKey', { name, scopes: ['org:read'] }),
    session: () =>
      insertSession(store.db, {
        ...owner,
        token: newSessionToken(),
        ip: '',
        userAgent: name,
        authenticationAge: 0,
      }),
  }
  const ids: SeedIds = {
    project,
    node,
    webhook,
    credential: await factories.credential(),
    rule: await factories.rule(),
    delivery: await factories.delivery(),
    member: await factories.member(),
    invitation: (await factories.invitation()).id,
    apiKey: await factories.apiKey(),
    session: await factories.session(),
  }
  await create('putNodeLimits', { path: { id: node }, body: { requests_per_second: 7 } }, key)
  return { ...factories, organizationId: owner.organizationId, owner, key, ids }
}
