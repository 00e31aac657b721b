import type { Units } from '@fairlead/gateway-core/usage/units'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import { type NodeMethodRecord, findNodeMethods } from '../../records/node-methods.ts'
import { findNode } from '../../records/nodes.ts'
import { databaseNow } from '../../store/instant.ts'
import { orNotFound } from '../or-not-found.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers, Success } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'

type NodeMethod = Success<'listNodeMethods'>['results'][number]

const transports: readonly NodeMethod['transport'][] = ['http', 'websocket']

/** The operations on the methods of an organization's nodes. */
export function nodeMethodOperations({
  db,
  encryptor,
  units,
  nodes,
  protocols: descriptions,
}: Pick<OperationContext, 'db' | 'encryptor' | 'units' | 'nodes' | 'protocols'>): Pick<
  Handlers,
  'listNodeMethods' | 'probeNodeMethods'
> {
  return {
    async probeNodeMethods({ identity, path }) {
      const { id, protocols } = orNotFound(await findNode(db, encryptor, identity.organizationId, path.id))
      const { name } = listedIn(descriptions)
      if (!protocols.includes(name)) {
        throw new PlatformError('conflict', { message: `The node does not offer the protocol ${name}.` })
      }
      // Read from the database clock, which also sets `probed_at`.
      const requestedAt = await databaseNow(db)
      nodes.probe?.(id)
      return { node: id, requested_at: requestedAt }
    },

    async listNodeMethods({ identity, path, query, links }) {
      const node = orNotFound(await findNodeMethods(db, identity.organizationId, path.id))
      const methods = nodeMethods(listedIn(descriptions), node.chain, node.methods, units)
      const { limit, offset } = rangeOf(query)
      return {
        ...envelope(methods.length, query, links),
        results: methods.slice(offset, offset + limit),
      }
    },
  }
}

/**
 * Lists all callable methods of a chain's node by method and transport, with the recorded probe results.
 *
 * @param protocol - the protocol whose methods are listed
 * @param chain - name of the chain; a chain that the contract does not list is treated as any EVM chain
 * @param records - probe results of the methods
 * @param units - cost of a call
 */
export function nodeMethods(
  { name: protocol, methodsOf }: ListedProtocol,
  chain: string,
  records: readonly NodeMethodRecord[],
  units: Units,
): NodeMethod[] {
  const recorded = new Map(records.map((record) => [`${record.method} ${record.transport}`, record]))
  const { path, methods } = methodsOf(chain)
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
        units: units(protocol, name),
        note: record?.note ?? '',
        latency_ms: record?.latencyMs ?? null,
        probed_at: record?.probedAt ?? null,
      }
    })
}

/** A protocol whose methods are listed. */
export interface ListedProtocol {
  readonly name: string
  readonly methodsOf: NonNullable<ProtocolDescription['methodsOf']>
}

// Method records store no protocol, because only one protocol lists its methods.
function listedIn(protocols: readonly ProtocolDescription[]): ListedProtocol {
  for (const { name, methodsOf } of protocols) if (methodsOf) return { name, methodsOf }
  throw new Error('No protocol lists its methods.')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
