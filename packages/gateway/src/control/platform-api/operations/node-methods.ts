import type { Units } from '../../../access/meter/units.ts'
import { methodsOfChain } from '../../nodes/chain-methods.ts'
import { type NodeMethodRecord, findNodeMethods } from '../../records/node-methods.ts'
import { found } from '../found.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers, Success } from '../platform-call.ts'

type NodeMethod = Success<'listNodeMethods'>['results'][number]

const transports: readonly NodeMethod['transport'][] = ['http', 'websocket']

/** The operation on what the nodes of an organization can be asked. */
export function nodeMethodOperations({
  db,
  units,
}: Pick<OperationContext, 'db' | 'units'>): Pick<Handlers, 'listNodeMethods'> {
  return {
    async listNodeMethods({ identity, path, query, links }) {
      const node = found(await findNodeMethods(db, identity.organizationId, path.id))
      const methods = nodeMethods(node.chain, node.methods, units)
      const { limit, offset } = rangeOf(query)
      return {
        ...envelope(methods.length, query, links),
        results: methods.slice(offset, offset + limit),
      }
    },
  }
}

/**
 * Everything that a node of a chain may be called with, by method and transport, with what is recorded of it.
 *
 * @param chain - name of the chain; one that the contract does not know is taken for any EVM chain
 * @param records - what calling the methods has shown
 * @param units - what a call costs
 */
export function nodeMethods(chain: string, records: readonly NodeMethodRecord[], units: Units): NodeMethod[] {
  const recorded = new Map(records.map((record) => [`${record.method} ${record.transport}`, record]))
  const { path, methods } = methodsOfChain(chain)
  return methods
    .flatMap((method) =>
      (method.transports ?? transports).map((transport) => ({ name: method.name, transport })),
    )
    .toSorted((a, b) => compare(a.name, b.name) || compare(a.transport, b.transport))
    .map(({ name, transport }) => {
      const record = recorded.get(`${name} ${transport}`)
      return {
        method: name,
        path,
        transport,
        available: record?.available ?? null,
        units: units('evm', name),
        note: record?.note ?? '',
        latency_ms: record?.latencyMs ?? null,
        probed_at: record?.probedAt ?? null,
      }
    })
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}
