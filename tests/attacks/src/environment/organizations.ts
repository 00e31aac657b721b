import { insertNode } from '@fairlead/platform-server/records/nodes'
import { issueNodeCredential } from '@fairlead/platform-server/records/node-credentials'
import { insertOrganization, insertOwner } from '@fairlead/platform-server/records/organizations'
import { insertProject } from '@fairlead/platform-server/records/projects'
import { type Store, openStore } from '@fairlead/platform-server/store/open-store'

/** How to open the database of a gateway. */
export interface DatabaseOptions {
  readonly databaseUrl: string
  readonly dataDirectory: string
  readonly secretKey: string
}

/** The credentials of two organizations on one gateway. */
export interface Organizations {
  /** Credentials of the node of the first organization. */
  readonly attacker: { readonly tokens: readonly string[]; readonly xTokens: readonly string[] }
  /** The only credential of the second organization, for a node with the same upstream. */
  readonly bystanderToken: string
}

/**
 * Adds credentials to the first organization of a gateway, and a second organization with a node.
 *
 * @param evmUpstream - the upstream of the node of the second organization
 * @param credentials - the number of tokens and of x-tokens to add
 */
export async function addOrganizations(
  options: DatabaseOptions,
  evmUpstream: string,
  credentials: number,
): Promise<Organizations> {
  const store = await openStore(options)
  try {
    const { id: nodeId } = await store.db.selectFrom('nodes').select('id').executeTakeFirstOrThrow()
    const issue = (kind: 'token' | 'x-token') =>
      Promise.all(Array.from({ length: credentials }, () => tokenOf(store, nodeId, kind)))
    const attacker = { tokens: await issue('token'), xTokens: await issue('x-token') }
    return { attacker, bystanderToken: await addBystander(store, evmUpstream) }
  } finally {
    await store.close()
  }
}

async function addBystander({ db, encryptor }: Store, evmUpstream: string): Promise<string> {
  const organizationId = await insertOrganization(db, 'Bystander')
  const user = { email: 'owner@bystander.test', firstName: 'Owner', lastName: 'Bystander' }
  const creatorId = await insertOwner(db, organizationId, user)
  const projectId = await insertProject(db, {
    organizationId,
    creatorId,
    name: 'Bystander',
    description: '',
    type: 'public',
  })
  const nodeId = await insertNode(db, encryptor, {
    projectId,
    name: 'Bystander',
    chain: 'evm',
    network: 'mainnet',
    protocols: ['evm'],
    upstreams: { evm: evmUpstream },
  })
  const { token } = await issueNodeCredential(db, { nodeId, kind: 'token', origin: 'user', encryptor })
  return token
}

async function tokenOf({ db, encryptor }: Store, nodeId: string, kind: 'token' | 'x-token'): Promise<string> {
  const { token } = await issueNodeCredential(db, { nodeId, kind, origin: 'user', encryptor })
  return token
}
