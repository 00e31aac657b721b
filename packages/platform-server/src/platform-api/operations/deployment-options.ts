import { deploymentOptions } from '../../endpoints/deployment-options.ts'
import { findConfiguredNode } from '../../records/configured-node.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers } from '../platform-call.ts'

/** The operation on deployment options. */
export function deploymentOptionOperations({
  db,
  encryptor,
  protocols: descriptions,
}: Pick<OperationContext, 'db' | 'encryptor' | 'protocols'>): Pick<Handlers, 'listDeploymentOptions'> {
  return {
    async listDeploymentOptions({ query, links }) {
      const options = deploymentOptions(descriptions, await findConfiguredNode(db, encryptor))
      const { limit, offset } = rangeOf(query)
      return {
        ...envelope(options.length, query, links),
        results: options
          .slice(offset, offset + limit)
          .map(({ id, chain, network, protocols, upstreams, description }) => ({
            id,
            chain,
            network: network ?? null,
            protocols: [...protocols],
            upstreams_required: upstreams === undefined,
            description,
          })),
      }
    },
  }
}
