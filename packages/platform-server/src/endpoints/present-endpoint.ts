import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { Success } from '../platform-api/platform-call.ts'
import type { NodeRecord } from '../records/nodes.ts'
import { type AddressParts, nodeDetails } from './urls.ts'
import { nodeProtocolsIn } from './chains.ts'
import { presentUpstreams } from './upstream-fields.ts'

/**
 * Converts a node to its form in the platform API.
 *
 * @param token - inserted into the node's URLs; when omitted, the URLs are templates
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
    // WebSocket is a transport of an EVM node, not a separate protocol of the node.
    protocols: [...nodeProtocolsIn(descriptions, protocols)],
    option,
    managed_by: node.managedBy ?? 'api',
    upstreams: [...presentUpstreams(descriptions, upstreams)],
    details: nodeDetails(descriptions, node, parts, token),
    beacon_debug: node.beaconDebug,
    created_at: node.createdAt,
  }
}

/** The fields of a node in the audit log: none depends on the caller. */
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
    upstreams: presentUpstreams(protocols, upstreams),
    beacon_debug: beaconDebug,
  }
}
