import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { Success } from '../platform-api/platform-call.ts'
import type { NodeRecord } from '../records/nodes.ts'

/** Addresses of a node by the way it is reached. */
export type NodeDetails = Success<'getNode'>['details']

/** What the addresses of nodes are made of. */
export interface AddressParts {
  /** Address under which clients reach the service, without a slash at the end. */
  readonly base: string
  /** Domain below which each node has a host of its own. */
  readonly nodeDomain: string | undefined
}

/** Stands for the token in an address. */
export const tokenPlace = '{token}'

/**
 * The addresses that a node is reached at.
 *
 * @param token - put in its place; left out, the addresses are templates
 */
export function nodeDetails(
  descriptions: readonly ProtocolDescription[],
  { id, chain, protocols }: Pick<NodeRecord, 'id' | 'chain' | 'protocols'>,
  parts: AddressParts,
  token: string = tokenPlace,
): NodeDetails {
  const base = baseOf(id, parts)
  const offered = descriptions.filter(({ name }) => protocols.includes(name))
  return Object.assign({}, ...offered.map((each) => each.endpointUrls(base, token, chain))) as NodeDetails
}

function baseOf(nodeId: string, { base, nodeDomain }: AddressParts): string {
  if (nodeDomain === undefined) return base
  const url = new URL(base)
  url.hostname = `${nodeId.toLowerCase()}.${nodeDomain}`
  return url.href.replace(/\/$/, '')
}
