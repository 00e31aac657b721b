import { randomUUID } from 'node:crypto'
import type { Role } from '@fairlead/platform-server/identity/role'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { insertMember } from '@fairlead/platform-server/records/organizations'
import { insertSession } from '@fairlead/platform-server/records/sessions'
import { newSessionToken } from '@fairlead/platform-server/sessions/session-cookie'
import type { Store } from '@fairlead/platform-server/store/open-store'
import { type Caller, keyOf, type Person } from './caller.ts'
import type { Given } from './request-input.ts'

/** Ids of the objects of an organization, by parameter or field name. */
export interface EstateIds {
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
export interface Estate extends EstateMakers {
  readonly organizationId: string
  readonly owner: Person
  /** An API key of the owner, with all scopes. */
  readonly key: Caller
  readonly ids: EstateIds
}

/** Creates objects. Each function returns the id of a new one. */
export interface EstateMakers {
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
export type Create = (id: OperationId, given: Given, caller: Caller) => Promise<Record<string, unknown>>

/** An upstream that no test calls. */
export const upstreams = { evm: 'http://127.0.0.1:9/' }

/**
 * Fills an organization with objects.
 *
 * @param name - part of the name of everything that can have a name
 * @param hook - URL of a webhook receiver
 */
export async function fillEstate(
  store: Store,
  create: Create,
  { name, owner, hook }: { readonly name: string; readonly owner: Person; readonly hook: string },
): Promise<Estate> {
  const key = await keyOf(store, owner)
  const made = async (id: OperationId, body: unknown, path: Given['path'] = {}) =>
    create(id, { path, body }, key)
  const idOf = async (...call: Parameters<typeof made>) => String((await made(...call))['id'])
  const project = await idOf('createProject', { name })
  const nodeBody = { project, name, chain: 'ethereum', network: 'mainnet', upstreams }
  const node = await idOf('createNode', nodeBody)
  const email = () => `${name}-${randomUUID()}@example.test`.toLowerCase()
  const newWebhook = () => idOf('createWebhook', { url: hook, description: name, events: ['quota.warning'] })
  const webhook = await newWebhook()
  const makers: EstateMakers = {
    project: () => idOf('createProject', { name }),
    node: () => idOf('createNode', nodeBody),
    credential: (of = node) => idOf('createCredential', { kind: 'token', label: name }, { id: of }),
    rule: (value = `${randomUUID()}.example`) =>
      idOf('createAccessRule', { kind: 'origin', value, action: 'deny' }, { id: node }),
    webhook: newWebhook,
    delivery: async (of = webhook) => {
      await create('testWebhook', { path: { id: of } }, key)
      const list = await create('listWebhookDeliveries', { path: { id: of } }, key)
      const [newest] = list['results'] as readonly { readonly id: string }[]
      if (newest === undefined) throw new Error('A test of a webhook left no delivery.')
      return newest.id
    },
    member: (role = 'viewer') => {
      const user = { email: email(), firstName: name, lastName: name }
      return insertMember(store.db, { organizationId: owner.organizationId, role, user })
    },
    invitation: async () => {
      const address = email()
      const { id, token } = await made('createInvitation', { email: address, role: 'viewer' })
      return { id: String(id), token: String(token), email: address }
    },
    apiKey: () => idOf('createApiKey', { name, scopes: ['org:read'] }),
    session: () => insertSession(store.db, { ...owner, token: newSessionToken(), ip: '', userAgent: name }),
  }
  const ids: EstateIds = {
    project,
    node,
    webhook,
    credential: await makers.credential(),
    rule: await makers.rule(),
    delivery: await makers.delivery(),
    member: await makers.member(),
    invitation: (await makers.invitation()).id,
    apiKey: await makers.apiKey(),
    session: await makers.session(),
  }
  await create('putNodeLimits', { path: { id: node }, body: { requests_per_second: 7 } }, key)
  return { ...makers, organizationId: owner.organizationId, owner, key, ids }
}
