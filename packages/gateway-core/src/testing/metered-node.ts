import type { Grant } from '../grants/grant.ts'

/** A grant of a node with only its ids set. */
export function grantOf(ids: Partial<Grant> = {}): Grant {
  return {
    credentialId: 'CR-1',
    kind: 'token',
    nodeId: 'ND-1',
    projectId: 'PR-1',
    organizationId: 'RG-1',
    chain: 'evm',
    network: 'n',
    protocols: ['evm'],
    upstreams: {},
    ...ids,
  }
}
