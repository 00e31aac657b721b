import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { setPassword } from '@fairlead/platform-server/records/users'
import { type Caller, unauthenticated, sessionOf } from './caller.ts'
import { upstreams } from './seed-data.ts'
import type { RequestInput } from './request-input.ts'
import type { TestEnvironment } from './test-environment.ts'

/** A successful request. */
export interface ValidRequest extends RequestInput {
  /** The caller. The API key of the owner if omitted. */
  readonly caller?: Caller
}

/** Builds a successful request. Anything that the request ends or deletes is created for it. */
export type ValidRequestFactory = (environment: TestEnvironment) => ValidRequest | Promise<ValidRequest>

const emptyInput: ValidRequestFactory = () => ({})
const asOwner = async ({ fixture, home }: TestEnvironment) => ({
  caller: await sessionOf(fixture.store, home.owner),
})
const ofProject: ValidRequestFactory = ({ home }) => ({ path: { id: home.ids.project } })
const ofNode: ValidRequestFactory = ({ home }) => ({ path: { id: home.ids.node } })
const ofWebhook: ValidRequestFactory = ({ home }) => ({ path: { id: home.ids.webhook } })
const ofMember: ValidRequestFactory = ({ home }) => ({ path: { id: home.ids.member } })
const ofKey: ValidRequestFactory = ({ home }) => ({ path: { id: home.ids.apiKey } })
const ofRule: ValidRequestFactory = ({ home: { ids } }) => ({ path: { id: ids.node, rule_id: ids.rule } })
const ofCredential: ValidRequestFactory = ({ home: { ids } }) => ({
  path: { id: ids.node, credential_id: ids.credential },
})
const ofNewCredential: ValidRequestFactory = async ({ home }) => ({
  path: { id: home.ids.node, credential_id: await home.credential() },
})
const withBody =
  (factory: ValidRequestFactory, body: unknown): ValidRequestFactory =>
  async (environment) => ({ ...(await factory(environment)), body })

const period = { date_from: '2026-01-01', date_to: '2026-01-31' }
const limits = { requests_per_second: 50, methods: { 'debug_*': { requests_per_second: 2 } } }

let created = 0
/** Returns a different text at each call. */
const uniqueName = (): string => `n${(created += 1)}`

/** A successful request for every operation. */
export const validRequests: Readonly<Record<OperationId, ValidRequestFactory>> = {
  getOrganization: emptyInput,
  updateOrganization: () => ({ body: { name: `Home ${uniqueName()}` } }),
  listMembers: emptyInput,
  getMember: ofMember,
  updateMember: withBody(ofMember, { first_name: 'Ines' }),
  removeMember: async ({ home }) => ({ path: { id: await home.member() } }),
  listInvitations: emptyInput,
  createInvitation: () => ({ body: { email: `${uniqueName()}@good.example.test`, role: 'editor' } }),
  deleteInvitation: async ({ home }) => ({ path: { id: (await home.invitation()).id } }),
  acceptInvitation: async ({ home }) => {
    const { token } = await home.invitation()
    const names = { first_name: 'Tomas', last_name: 'Berg' }
    return { body: { token, password: 'seven bells before the fog', ...names }, caller: unauthenticated }
  },
  listApiKeys: emptyInput,
  createApiKey: () => ({
    body: { name: 'Deployment', scopes: ['nodes:read'], expires_at: '2999-01-01T00:00:00Z' },
  }),
  getApiKey: ofKey,
  updateApiKey: withBody(ofKey, { name: 'Renamed' }),
  revokeApiKey: async ({ home }) => ({ path: { id: await home.apiKey() } }),
  rotateApiKey: withBody(ofKey, { overlap_seconds: 60 }),
  getSignInOptions: () => ({ caller: unauthenticated }),
  createSession: async ({ fixture, home, ownerEmail: email, password, passwordHash: hash }) => {
    await setPassword(fixture.store.db, home.owner.userId, { hash, origin: 'user', mustChange: false })
    return { body: { email, password }, caller: unauthenticated }
  },
  getSession: asOwner,
  endSession: asOwner,
  changePassword: async (environment) => {
    const { fixture, home, password, passwordHash: hash } = environment
    const person = { organizationId: home.organizationId, userId: await home.member() }
    await setPassword(fixture.store.db, person.userId, { hash, origin: 'user', mustChange: false })
    const body = { current_password: password, new_password: 'seven bells before the fog' }
    return { caller: await sessionOf(fixture.store, person), body }
  },
  beginOidcSignIn: () => ({ caller: unauthenticated }),
  finishOidcSignIn: () => ({ query: { code: 'unknown', state: 'unknown' }, caller: unauthenticated }),
  listSessions: asOwner,
  revokeSession: async (environment) => ({
    ...(await asOwner(environment)),
    path: { id: await environment.home.session() },
  }),
  listAuditLog: () => ({ query: { ...period, action: 'node.create' } }),
  listProjects: () => ({ query: { order_by: '-name', name: 'o', page_size: '2' } }),
  createProject: () => ({ body: { name: 'Harbour', description: 'x', type: 'public' } }),
  getProject: ofProject,
  updateProject: withBody(ofProject, { description: 'y' }),
  deleteProject: async ({ home }) => ({ path: { id: await home.project() } }),
  getProjectLimits: ofProject,
  putProjectLimits: withBody(ofProject, limits),
  listDeploymentOptions: emptyInput,
  listNodes: ({ home }) => ({ query: { project: home.ids.project, chain: 'ethereum', order_by: 'name' } }),
  createNode: ({ home }) => ({
    body: {
      project: home.ids.project,
      name: 'Explorer',
      option: 'own-ethereum',
      network: 'mainnet',
      upstreams,
    },
  }),
  getNode: ofNode,
  updateNode: withBody(ofNode, { name: 'Renamed' }),
  deleteNode: async ({ home }) => ({ path: { id: await home.node() } }),
  listAccessRules: ofNode,
  createAccessRule: ({ home }) => ({
    path: { id: home.ids.node },
    body: { kind: 'origin', value: `${uniqueName()}.app.example`, action: 'allow' },
  }),
  getAccessRule: ofRule,
  updateAccessRule: withBody(ofRule, { active: false }),
  deleteAccessRule: async ({ home }) => ({ path: { id: home.ids.node, rule_id: await home.rule() } }),
  listCredentials: ofNode,
  createCredential: withBody(ofNode, { kind: 'basic', label: 'Backend' }),
  getCredential: ofCredential,
  updateCredential: withBody(ofCredential, { label: 'Renamed', expires_at: null }),
  revokeCredential: ofNewCredential,
  revealCredential: ofCredential,
  rotateCredential: withBody(ofNewCredential, { overlap_seconds: 0 }),
  getCredentialLimits: ofCredential,
  putCredentialLimits: withBody(ofCredential, limits),
  getNodeLimits: ofNode,
  putNodeLimits: withBody(ofNode, limits),
  listNodeUpstreams: ofNode,
  listNodeMethods: ofNode,
  probeNodeMethods: ofNode,
  listNodeUsage: () => ({ query: period }),
  exportNodeUsage: () => ({ query: period }),
  listWebhooks: emptyInput,
  createWebhook: ({ receiver }) => ({ body: { url: receiver.url, events: ['upstream.down'] } }),
  getWebhook: ofWebhook,
  updateWebhook: withBody(ofWebhook, { description: 'Pager' }),
  deleteWebhook: async ({ home }) => ({ path: { id: await home.webhook() } }),
  testWebhook: ofWebhook,
  rotateWebhookSecret: ofWebhook,
  listWebhookDeliveries: ofWebhook,
  resendWebhookDelivery: async ({ home }) => {
    const webhook = await home.webhook()
    return { path: { id: webhook, delivery_id: await home.delivery(webhook) } }
  },
}
