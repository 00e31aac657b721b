import { once } from 'node:events'
import { createServer } from 'node:http'
import { isIP } from 'node:net'
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { createPlatformApi } from '@fairlead/platform-server/platform-api/create-platform-api'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import {
  type OrganizationLimits,
  defaultOrganizationLimits,
} from '@fairlead/platform-server/records/organization-limits'
import { insertOrganization, insertOwner } from '@fairlead/platform-server/records/organizations'
import { setPassword } from '@fairlead/platform-server/records/users'
import { createPasswords } from '@fairlead/platform-server/sessions/passwords'
import type { Store } from '@fairlead/platform-server/store/open-store'
import { platformFixture, type PlatformFixture } from '@fairlead/platform-server/testing/platform-fixture'
import { protocols } from '@fairlead/platform-server/testing/protocols'
import type { TemporaryDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { startReceiver, type WebhookReceiver } from '@fairlead/platform-server/testing/webhook-receiver'
import { routeTable } from './contract-violations.ts'
import type { Caller, Person } from './caller.ts'
import { type Create, type SeedData, type SeedIds, seedOrganization } from './seed-data.ts'
import type { RequestInput } from './request-input.ts'
import { type HttpExchange, openExchange, type WireResponse, type WireRequest } from './http-exchange.ts'

/** A platform API over real sockets, with two organizations that have one object of each kind. */
export interface TestEnvironment {
  readonly fixture: PlatformFixture
  readonly home: SeedData
  readonly foreign: SeedData
  readonly receiver: WebhookReceiver
  /** Password of the owner of the first organization. */
  readonly password: string
  readonly passwordHash: string
  readonly ownerEmail: string
  /** Sends a request of an operation, each from a different IP address, over a connection that counts as TLS. */
  send(id: OperationId, input: RequestInput, caller: Caller): Promise<WireResponse>
  /** Sends an arbitrary request. */
  exchange(request: WireRequest): Promise<WireResponse>
  /** Refills the first organization, whatever state it and its owner are in. Returns the new objects. */
  reseed(): Promise<SeedIds>
  /** Sends a request to another application with the same database, which has no identity provider. */
  withoutProvider(request: WireRequest): Promise<WireResponse>
  /** Sends a request to an application whose organizations may not have more records. */
  atLimits(request: WireRequest): Promise<WireResponse>
  /** Sends a request to an application whose identity provider is unreachable. */
  providerUnreachable(request: WireRequest): Promise<WireResponse>
  close(): Promise<void>
}

/** The part of every object name in the organization to which the callers do not belong. */
export const foreignName = 'Foreign-7f31'

/** Starts a platform API with a database and fills it. */
export async function startTestEnvironment(database: TemporaryDatabase): Promise<TestEnvironment> {
  const [receiver, provider] = await Promise.all([startReceiver(), startDiscovery()])
  const webhooks = { send: { isPrivateAllowed: true }, wake: () => undefined }
  const passwords = createPasswords()
  const options = { webhooks, passwords, requireHttps: true, trustProxy: '127.0.0.1' }
  const oidc = { issuer: provider.issuer, isHttpAllowed: true, clientId: 'fairlead', name: 'Breakwater' }
  // Tests create more records, and faster, than an organization may.
  const organizationLimits = limitsOf(1_000_000)
  const fixture = await platformFixture(database, { ...options, oidc, organizationLimits })
  const { store, app, first } = fixture
  const exchange = await listen(app)
  const shared = { ...options, organizationLimits, store, protocols, log: pino({ enabled: false }) }
  const withoutOidc = await createPlatformApi(shared)
  const withoutOidcExchange = await listen(withoutOidc)
  const limited = await createPlatformApi({
    ...shared,
    organizationLimits: { ...limitsOf(0), maxNewCredentialsPerMinute: 1_000_000 },
  })
  const limitedExchange = await listen(limited)
  const unreachableProvider = await createPlatformApi({
    ...shared,
    oidc: { ...oidc, issuer: 'http://127.0.0.1:9' },
  })
  const unreachableProviderExchange = await listen(unreachableProvider)

  const send = (id: OperationId, input: RequestInput, caller: Caller) =>
    exchange.send(requestOf(id, input, caller))
  const create: Create = async (id, input, caller) => {
    const response = await send(id, input, caller)
    if (response.status >= 300) throw new Error(`${id} returned ${response.status}: ${response.body}`)
    return JSON.parse(response.body) as Record<string, unknown>
  }

  const { id: userId, email: ownerEmail } = await store.db
    .selectFrom('users')
    .select(['id', 'email'])
    .executeTakeFirstOrThrow()
  const password = 'a lantern on every pier'
  const hash = await passwords.hash(password)
  await setPassword(store.db, userId, { hash, origin: 'user', mustChange: false })
  const { organizationId } = first
  const homeOptions = { name: 'Home', owner: { organizationId, userId }, hook: receiver.url }
  const home = await seedOrganization(store, create, homeOptions)
  const foreignId = await insertOrganization(store.db, foreignName)
  const foreignOwner = await insertOwner(store.db, foreignId, {
    email: `${foreignName}@example.test`,
    firstName: foreignName,
    lastName: foreignName,
  })
  const foreign = await seedOrganization(store, create, {
    name: foreignName,
    owner: { organizationId: foreignId, userId: foreignOwner },
    hook: `${receiver.url}&of=${foreignName}`,
  })
  return {
    fixture,
    home,
    foreign,
    receiver,
    password,
    passwordHash: hash,
    ownerEmail,
    send,
    exchange: (request) => exchange.send(request),
    reseed: async () => {
      await restoreOwner(store.db, homeOptions.owner)
      return (await seedOrganization(store, create, homeOptions)).ids
    },
    withoutProvider: (request) => withoutOidcExchange.send(request),
    atLimits: (request) => limitedExchange.send(request),
    providerUnreachable: (request) => unreachableProviderExchange.send(request),
    close: async () => {
      exchange.close()
      withoutOidcExchange.close()
      unreachableProviderExchange.close()
      limitedExchange.close()
      await Promise.all([
        app.close(),
        withoutOidc.close(),
        unreachableProvider.close(),
        limited.close(),
        receiver.close(),
        provider.close(),
      ])
    },
  }
}

function limitsOf(value: number): OrganizationLimits {
  const limits = { ...defaultOrganizationLimits }
  for (const name of Object.keys(limits) as (keyof OrganizationLimits)[]) limits[name] = value
  return limits
}

async function restoreOwner(db: Store['db'], { organizationId, userId }: Person): Promise<void> {
  await db.updateTable('users').set({ disabled_at: null }).where('id', '=', userId).execute()
  await db
    .updateTable('memberships')
    .set({ role: 'admin' })
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .execute()
  await db
    .insertInto('memberships')
    .values({ organization_id: organizationId, user_id: userId, role: 'owner' })
    .onConflict((conflict) => conflict.columns(['user_id', 'organization_id']).doUpdateSet({ role: 'owner' }))
    .execute()
}

/** Builds the wire form of a request of an operation. */
export function requestOf(id: OperationId, input: RequestInput, caller: Caller): WireRequest {
  const { path = {}, query = {}, body, headers = {} } = input
  const { method, path: template } = routeTable[id]
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const text = new URLSearchParams(query).toString()
  return {
    method,
    target: text === '' ? filled : `${filled}?${text}`,
    headers: {
      host: 'fairlead.example.test',
      'x-forwarded-for': randomAddress(),
      'x-forwarded-proto': 'https',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...caller,
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
}

/** Returns a random IP address, so that limits by IP address do not add up. */
export function randomAddress(): string {
  const address = `100.${[...randomBytes(3)].join('.')}`
  if (isIP(address) !== 4) throw new Error('This is no address.')
  return address
}

async function listen(app: FastifyInstance): Promise<HttpExchange> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('The service has no port.')
  return openExchange(address.port)
}

/** Starts the part of an identity provider that the start of a sign-in requires. */
async function startDiscovery(): Promise<{ readonly issuer: string; close(): Promise<void> }> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The provider has no port.')
  const issuer = `http://127.0.0.1:${address.port}`
  return {
    issuer,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
