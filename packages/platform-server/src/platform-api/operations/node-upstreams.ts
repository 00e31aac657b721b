import { gatewayGrant } from '@fairlead/gateway-core/grants/grant'
import { upstreamHealth } from '../../endpoints/upstream-health.ts'
import { findNode } from '../../records/nodes.ts'
import { loadNodes } from '../../store/load-nodes.ts'
import { orNotFound } from '../or-not-found.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers } from '../platform-call.ts'

/** The operation on the upstreams of a node. */
export function nodeUpstreamOperations({
  db,
  encryptor,
  nodes,
  protocols,
}: Pick<OperationContext, 'db' | 'encryptor' | 'nodes' | 'protocols'>): Pick<Handlers, 'listNodeUpstreams'> {
  return {
    async listNodeUpstreams({ identity, path, query, links }) {
      const { id } = orNotFound(await findNode(db, encryptor, identity.organizationId, path.id))
      const node = orNotFound((await loadNodes(db, encryptor, [id])).get(id))
      const states = nodes.upstreamStates?.(gatewayGrant(node)) ?? []
      const all = upstreamHealth(protocols, node.upstreams, states)
      const { limit, offset } = rangeOf(query)
      return { ...envelope(all.length, query, links), results: all.slice(offset, offset + limit) }
    },
  }
}
