import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { Success } from '../platform-api/platform-call.ts'
import type { NodeRecord } from '../records/nodes.ts'
import { type AddressParts, nodeDetails } from './urls.ts'
import { nodeProtocolsIn } from './chains.ts'
import { shownUpstreams } from './upstream-fields.ts'

/**
 * A node as the platform API shows it.
 *
 * @param token - put into its addresses; left out, these are templates
 */
export function presentNode(
  descriptions: readonly ProtocolDescription[],
  node: NodeRecord,
  parts: AddressParts,
  token?: string,
): Success<'getNode'> {
  const { id, name, project, chain, network, protocols, option, upstreams } = node
  return {
    id,
    name,
    project,
    chain,
    network,
    // A WebSocket is another way to speak to an EVM node.
    protocols: [...nodeProtocolsIn(descriptions, protocols)],
    option,
    managed_by: node.managedBy ?? 'api',
    upstreams: [...shownUpstreams(descriptions, upstreams)],
    details: nodeDetails(descriptions, node, parts, token),
    beacon_debug: node.beaconDebug,
    created_at: node.createdAt,
  }
}

/** What the audit log says of a node: nothing that depends on who asks. */
export function auditedNode(
  protocols: readonly ProtocolDescription[],
  { name, project, chain, network, upstreams, option, beaconDebug }: NodeRecord,
) {
  return {
    name,
    project: project.id,
    chain,
    network,
    option,
    upstreams: shownUpstreams(protocols, upstreams),
    beacon_debug: beaconDebug,
  }
}
