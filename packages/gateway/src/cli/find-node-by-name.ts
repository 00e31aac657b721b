import { callOperation } from './call-operation.ts'
import { CommandFailure, exitCodes } from './exit-codes.ts'
import type { Connection } from './profiles.ts'

/** The fields of a node that commands use. */
export interface NodeResource {
  readonly id: string
  readonly details: Readonly<Record<string, string>>
}

/** Finds a node by its id, or by a name that only one node has. */
export async function findNodeByName(connection: Connection, name: string): Promise<NodeResource> {
  if (name.startsWith('ND-')) {
    return (await callOperation(connection, 'getNode', { path: { id: name } })).body as NodeResource
  }
  const { body } = await callOperation(connection, 'listNodes', { query: { name } })
  const { results } = body as { results: readonly NodeResource[] }
  const [node, ...duplicates] = results
  if (node && duplicates.length === 0) return node
  const message = node ? 'Several nodes have this name. Use the id.' : 'No node has this name or id.'
  throw new CommandFailure(message, exitCodes.missing)
}
