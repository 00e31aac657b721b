import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { Success } from '../platform-api/platform-call.ts'
import type { NodeRecord } from '../records/nodes.ts'

/** URLs of a node by protocol and transport. */
export type NodeDetails = Success<'getNode'>['details']

/** Inputs of the URLs of nodes. */
export interface AddressParts {
  /** URL under which clients reach the gateway, without a trailing slash. */
  readonly base: string
  /** Domain of which each node has a subdomain. */
  readonly nodeDomain: string | undefined
}

/** Placeholder of the token in a URL. */
export const tokenPlaceholder = '{token}'

/**
 * Builds the URLs of a node.
 *
 * @param token - replaces the placeholder; when omitted, the URLs are templates
 */
export function nodeDetails(
  descriptions: readonly ProtocolDescription[],
  { id, chain, protocols }: Pick<NodeRecord, 'id' | 'chain' | 'protocols'>,
  parts: AddressParts,
  token: string = tokenPlaceholder,
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
