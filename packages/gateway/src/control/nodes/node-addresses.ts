import type { Success } from '../platform-api/platform-call.ts'
import type { NodeRecord } from '../records/nodes.ts'
import { methodsOfChain } from './chain-methods.ts'

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
  { id, chain, protocols }: Pick<NodeRecord, 'id' | 'chain' | 'protocols'>,
  parts: AddressParts,
  token: string = tokenPlace,
): NodeDetails {
  const base = baseOf(id, parts)
  const path = methodsOfChain(chain).path
  const end = path === '' ? '' : `/${path}`
  return {
    ...(protocols.includes('evm') && {
      https: `${base}/${token}${end}`,
      wss: `${base.replace(/^http/, 'ws')}/ws/${token}${end}`,
    }),
    ...(protocols.includes('beacon') && { beacon: `${base}/beacon/${token}` }),
    ...(protocols.includes('jetton') && {
      api_v2: `${base}/${token}/api/v2`,
      api_v3: `${base}/${token}/api/v3`,
    }),
    ...(protocols.includes('grpc') && { grpc: new URL(base).origin }),
  }
}

function baseOf(nodeId: string, { base, nodeDomain }: AddressParts): string {
  if (nodeDomain === undefined) return base
  const url = new URL(base)
  url.hostname = `${nodeId.toLowerCase()}.${nodeDomain}`
  return url.href.replace(/\/$/, '')
}
