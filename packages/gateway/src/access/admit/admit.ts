import type { NodeGrant } from '../../credentials/node-grant.ts'
import { RpcFailure, rpcCodes } from '../json-rpc/rpc-failure.ts'

/**
 * Decides whether a grant may use a protocol of its node.
 *
 * @throws RpcFailure when the node does not offer the protocol
 */
export function admit(grant: NodeGrant, protocol: 'evm'): void {
  if (grant.protocols.includes(protocol)) return
  throw new RpcFailure(rpcCodes.invalidRequest, `This node does not offer ${protocol}.`, { status: 404 })
}
