import { issueNodeCredential } from '@fairlead/platform-server/records/node-credentials'
import { insertNode, updateNode } from '@fairlead/platform-server/records/nodes'
import { insertOrganization, insertOwner } from '@fairlead/platform-server/records/organizations'
import { insertProject } from '@fairlead/platform-server/records/projects'
import type { Store } from '@fairlead/platform-server/store/open-store'

/** Two organizations, each with a node that has the same upstreams. */
export interface TwoOrganizations {
  readonly tokens: readonly string[]
  /** Changes the upstreams of both nodes. */
  setUpstreams(evm: string): Promise<void>
}

/** Creates the organizations with an upstream. */
export async function twoOrganizations({ db, encryptor }: Store, evm: string): Promise<TwoOrganizations> {
  const nodes = await Promise.all(
    ['First', 'Second'].map(async (name) => {
      const organizationId = await insertOrganization(db, name)
      const owner = { email: `owner@${name}.test`, firstName: 'Owner', lastName: name }
      const creatorId = await insertOwner(db, organizationId, owner)
      const project = { organizationId, creatorId, name, description: '', type: 'public' } as const
      const projectId = await insertProject(db, project)
      const node = {
        projectId,
        name,
        chain: 'evm',
        network: 'mainnet',
        protocols: ['evm'],
        upstreams: { evm },
      }
      const id = await insertNode(db, encryptor, node)
      const { token } = await issueNodeCredential(db, {
        nodeId: id,
        kind: 'token',
        origin: 'user',
        encryptor,
      })
      return { id, token }
    }),
  )
  return {
    tokens: nodes.map(({ token }) => token),
    setUpstreams: async (changed) => {
      for (const { id } of nodes) await updateNode(db, encryptor, id, { upstreams: { evm: changed } })
    },
  }
}
