import { type Kysely, sql } from 'kysely'
import type { CredentialKind } from '@fairlead/gateway-core/grants/grant'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import { apiKeyPrefix, equalInConstantTime, sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { allScopes } from '../identity/scopes.ts'
import { findValidApiKey, issueApiKey } from '../records/api-keys.ts'
import { nodeProtocolsIn } from '../endpoints/chains.ts'
import { setNodeUpstreams } from '../endpoints/set-upstreams.ts'
import { setBeaconDebug } from '../records/configured-node.ts'
import { issueNodeCredential } from '../records/node-credentials.ts'
import { insertNode } from '../records/nodes.ts'
import { insertOrganization, insertOwner } from '../records/organizations.ts'
import { insertProject } from '../records/projects.ts'
import type { Database, SecretOrigin } from '../store/database.ts'
import { exclusively } from '../store/exclusively.ts'
import type { Store } from '../store/open-store.ts'

/** Plain secrets: one API key and one credential of each kind that the node supports. */
export interface PlainSecrets {
  readonly apiKey: string
  readonly token: string
  readonly username: string
  readonly password: string
  /** Set only where the node offers a protocol that needs an x-token. */
  readonly xToken?: string | undefined
}

/** Settings of the first node, from the configuration. */
export interface FirstStartOptions {
  /** The protocols that nodes can have. */
  readonly protocols: readonly ProtocolDescription[]
  /** Upstream URLs by protocol; the word `devnet` stands for the embedded chain. */
  readonly upstreams: Readonly<Record<string, string>>
  /** Whether the node offers the debug endpoints of the beacon node API. Default true. */
  readonly beaconDebug?: boolean | undefined
  /** Network name of the node. Default `devnet`. */
  readonly network?: string | undefined
  /** What the secrets are for; {@link issueDevelopmentSecrets} replaces those of `development` only. */
  readonly origin?: Exclude<SecretOrigin, 'user'> | undefined
  /** Whether the credentials of the node can be shown again. Default true. */
  readonly revealCredentials?: boolean | undefined
}

/** Ids of the records that the first start created. */
export interface FirstStartIds {
  readonly organizationId: string
  readonly projectId: string
  readonly nodeId: string
}

/**
 * Result of {@link ensureFirstStart}. `created` is true when it issued secrets; their plain text exists only in this
 * result. A node that offers a protocol that needs an x-token only since this start gets an x-token in addition to its
 * existing secrets.
 */
export type FirstStart =
  | ({ readonly created: true } & FirstStartIds & PlainSecrets)
  | ({ readonly created: false } & FirstStartIds & Pick<PlainSecrets, 'xToken'>)

/** Result of {@link issueDevelopmentSecrets}. */
export type DevelopmentSecrets = { readonly issued: boolean } & FirstStartIds & PlainSecrets

/**
 * Initializes an empty database with an organization, owner, project, node and secrets, all in one transaction. On
 * later starts, it updates the node's row from the configuration. The first start in production revokes the development
 * secrets and issues new ones. Replicas that start at the same time on one database wait for each other, so exactly one
 * of them creates the records.
 */
export async function ensureFirstStart(store: Store, options: FirstStartOptions): Promise<FirstStart> {
  const encryptor = options.revealCredentials === false ? undefined : store.encryptor
  return exclusively(store, async (db) => {
    const organization = await firstOrganization(db)
    if (organization !== undefined) {
      const ids = await configured(db, store.encryptor, organization.id, options)
      if (options.origin === 'development') return { created: false, ...ids }
      // The secrets that development mode wrote into its file must not work in production.
      await revokeDevelopmentSecrets(db)
      if (await hasFirstStartSecrets(db)) {
        const xToken = (await hasXToken(db, ids.nodeId))
          ? undefined
          : await issueXToken(db, {
              protocols: options.protocols,
              nodeId: ids.nodeId,
              origin: 'first-start',
              encryptor,
            })
        return { created: false, ...ids, ...xToken }
      }
      const creatorId = await ownerOf(db, organization.id)
      return {
        created: true,
        ...ids,
        ...(await issueSecrets(db, {
          ...ids,
          protocols: options.protocols,
          creatorId,
          origin: 'first-start',
          encryptor,
        })),
      }
    }

    const organizationId = await insertOrganization(db, 'My organization')
    const creatorId = await insertOwner(db, organizationId, {
      email: 'owner@fairlead.invalid',
      firstName: 'First',
      lastName: 'Owner',
    })
    const ids = await configured(db, store.encryptor, organizationId, options)
    const { origin = 'first-start' } = options
    const { protocols } = options
    const secrets = await issueSecrets(db, { ...ids, protocols, creatorId, origin, encryptor })
    return { created: true, ...ids, ...secrets }
  })
}

/**
 * Returns the secrets of the development mode: the previous ones if all of them are still valid, otherwise new ones.
 * Issuing new ones revokes the earlier development secrets. {@link ensureFirstStart} must have run.
 */
export async function issueDevelopmentSecrets(
  store: Store,
  {
    protocols,
    previous,
  }: Pick<FirstStartOptions, 'protocols'> & { readonly previous?: PlainSecrets | undefined },
): Promise<DevelopmentSecrets> {
  return exclusively(store, async (db) => {
    const node = await configuredNode(db)
    if (node === undefined) throw new Error('Development secrets need the node of the first start.')
    const { creatorId, ...ids } = node
    if (previous !== undefined && (await areValid(db, protocols, ids, previous))) {
      return { issued: false, ...ids, ...pick(previous) }
    }
    await revokeDevelopmentSecrets(db)
    const { encryptor } = store
    const secrets = await issueSecrets(db, { ...ids, protocols, creatorId, origin: 'development', encryptor })
    return { issued: true, ...ids, ...secrets }
  })
}

/** Returns the ids of the project and node that the configuration describes, and creates them when they are missing. */
async function configured(
  db: Kysely<Database>,
  encryptor: Encryptor,
  organizationId: string,
  options: FirstStartOptions,
): Promise<FirstStartIds> {
  const { beaconDebug = true } = options
  const node = {
    network: options.network ?? 'devnet',
    protocols: nodeProtocolsIn(options.protocols, Object.keys(options.upstreams)),
    upstreams: options.upstreams,
  }
  const existing = await configuredNode(db)
  if (existing !== undefined) {
    const { creatorId: _, ...ids } = existing
    await setNodeUpstreams({ db, encryptor, protocols: options.protocols }, ids.nodeId, node)
    await setBeaconDebug(db, ids.nodeId, beaconDebug)
    return ids
  }
  const projectId = await firstProject(db, organizationId)
  const nodeId = await insertNode(db, encryptor, {
    ...node,
    projectId,
    beaconDebug,
    name: 'First node',
    chain: chainOf(options),
    managedBy: 'configuration',
  })
  return { organizationId, projectId, nodeId }
}

function chainOf({ protocols, upstreams }: FirstStartOptions): string {
  const first = protocols.find(({ name }) => name in upstreams) ?? protocols[0]
  if (first === undefined) throw new Error('The gateway has no protocols.')
  return first.defaultChain
}

async function configuredNode(
  db: Kysely<Database>,
): Promise<(FirstStartIds & { creatorId: string }) | undefined> {
  return db
    .selectFrom('nodes as node')
    .innerJoin('projects as project', 'project.id', 'node.project_id')
    .select([
      'project.organization_id as organizationId',
      'project.id as projectId',
      'node.id as nodeId',
      'project.creator_id as creatorId',
    ])
    .where('node.managed_by', '=', 'configuration')
    .orderBy('node.created_at')
    .orderBy('node.id')
    .executeTakeFirst()
}

async function firstProject(db: Kysely<Database>, organizationId: string): Promise<string> {
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirst()
  if (project !== undefined) return project.id
  return insertProject(db, {
    organizationId,
    creatorId: await ownerOf(db, organizationId),
    name: 'First project',
    description: '',
    type: 'public',
  })
}

async function firstOrganization(db: Kysely<Database>): Promise<{ id: string } | undefined> {
  return db.selectFrom('organizations').select('id').orderBy('created_at').orderBy('id').executeTakeFirst()
}

async function ownerOf(db: Kysely<Database>, organizationId: string): Promise<string> {
  const owner = await db
    .selectFrom('memberships')
    .select('user_id as id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .orderBy('created_at')
    .executeTakeFirstOrThrow()
  return owner.id
}

// Revoked ones count: an operator who revoked them does not want new ones at every start.
async function hasFirstStartSecrets(db: Kysely<Database>): Promise<boolean> {
  const key = await db
    .selectFrom('api_keys')
    .select('id')
    .where('origin', '=', 'first-start')
    .executeTakeFirst()
  return key !== undefined
}

async function issueSecrets(
  db: Kysely<Database>,
  options: FirstStartIds & { readonly creatorId: string } & SecretOptions,
): Promise<PlainSecrets> {
  const { nodeId, origin, encryptor } = options
  const { key } = await issueApiKey(db, { ...options, name: nameOfKey[origin], scopes: allScopes })
  const { token } = await issueNodeCredential(db, { nodeId, kind: 'token', origin, encryptor })
  const { username, password } = await issueNodeCredential(db, { nodeId, kind: 'basic', origin, encryptor })
  return { apiKey: key, token, username, password, ...(await issueXToken(db, options)) }
}

interface SecretOptions {
  readonly protocols: readonly ProtocolDescription[]
  readonly nodeId: string
  readonly origin: SecretOrigin
  /** Encrypts the credentials of the node, so that they can be shown again. */
  readonly encryptor: Encryptor | undefined
}

/** Issues an x-token for a node that offers a protocol which needs one; otherwise returns undefined. */
async function issueXToken(
  db: Kysely<Database>,
  { protocols, nodeId, origin, encryptor }: SecretOptions,
): Promise<{ readonly xToken: string } | undefined> {
  if (!(await needsXToken(db, protocols, nodeId))) return undefined
  return { xToken: (await issueNodeCredential(db, { nodeId, kind: 'x-token', origin, encryptor })).token }
}

async function needsXToken(
  db: Kysely<Database>,
  protocols: readonly ProtocolDescription[],
  nodeId: string,
): Promise<boolean> {
  const offered = await db
    .selectFrom('nodes')
    .select('protocols')
    .where('id', '=', nodeId)
    .executeTakeFirstOrThrow()
  return protocols.some(
    ({ name, credentialKinds }) => offered.protocols.includes(name) && credentialKinds.includes('x-token'),
  )
}

// As with the other secrets, revoked ones count.
async function hasXToken(db: Kysely<Database>, nodeId: string): Promise<boolean> {
  const credential = await db
    .selectFrom('node_credentials')
    .select('id')
    .where('node_id', '=', nodeId)
    .where('kind', '=', 'x-token')
    .where('origin', '!=', 'development')
    .executeTakeFirst()
  return credential !== undefined
}

const nameOfKey: Readonly<Record<SecretOrigin, string>> = {
  'first-start': 'First start',
  development: 'Development',
  user: '',
}

async function areValid(
  db: Kysely<Database>,
  protocols: readonly ProtocolDescription[],
  ids: FirstStartIds,
  secrets: PlainSecrets,
): Promise<boolean> {
  const prefix = apiKeyPrefix(secrets.apiKey)
  const key = prefix === undefined ? undefined : await findValidApiKey(db, prefix)
  return (
    key !== undefined &&
    key.organizationId === ids.organizationId &&
    equalInConstantTime(key.sha256, sha256Hex(secrets.apiKey)) &&
    (await isValidCredential(db, ids.nodeId, 'token', secrets.token)) &&
    (await isValidCredential(db, ids.nodeId, 'basic', `${secrets.username}:${secrets.password}`)) &&
    (secrets.xToken === undefined
      ? !(await needsXToken(db, protocols, ids.nodeId))
      : await isValidCredential(db, ids.nodeId, 'x-token', secrets.xToken))
  )
}

async function isValidCredential(
  db: Kysely<Database>,
  nodeId: string,
  kind: CredentialKind,
  secret: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('node_credentials')
    .select('id')
    .where('sha256', '=', sha256Hex(secret))
    .where('node_id', '=', nodeId)
    .where('kind', '=', kind)
    .where('revoked_at', 'is', null)
    .where((is) =>
      is.or([is('expires_at', 'is', null), is('expires_at', '>', sql<string>`clock_timestamp()`)]),
    )
    .executeTakeFirst()
  return row !== undefined
}

async function revokeDevelopmentSecrets(db: Kysely<Database>): Promise<void> {
  for (const table of ['api_keys', 'node_credentials'] as const) {
    await db
      .updateTable(table)
      .set({ revoked_at: sql<string>`clock_timestamp()` })
      .where('origin', '=', 'development')
      .where('revoked_at', 'is', null)
      .execute()
  }
}

// The caller may have read the secrets from a file that contains additional properties.
function pick({ apiKey, token, username, password, xToken }: PlainSecrets): PlainSecrets {
  return { apiKey, token, username, password, ...(xToken !== undefined && { xToken }) }
}
