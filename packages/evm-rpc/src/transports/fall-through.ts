import { FairleadError, hasNeverConnected } from '@fairlead/core'
import type { RpcRequest } from '../transport.ts'
import { closedByCaller } from './close-code.ts'
import { isIdempotent } from './idempotent.ts'
import { isRevert } from './refusal.ts'

// Not found, not supported, limit exceeded, unavailable, internal, pruned: conditions that can differ between nodes.
const nodeSpecificCodes: readonly number[] = [-32601, -32004, -32005, -32002, -32603, 429, 4444]

/**
 * Returns whether another node may succeed where this one failed.
 *
 * False when the error is about the call itself: a revert, invalid parameters, a nonce.
 */
export function isNodeSpecific(error: unknown): boolean {
  if (FairleadError.is(error, 'RPC_ERROR')) {
    const { rpcCode, status } = error.details
    if (isRevert(error.details)) return false
    return nodeSpecificCodes.includes(rpcCode) || (status >= 401 && status !== 413)
  }
  if (FairleadError.is(error, 'HTTP_STATUS')) return error.details.status !== 400
  return FairleadError.is(error) && /^(TRANSPORT|DECODE|RPC_QUORUM)/.test(error.code)
}

/** Returns whether an error means that a node is unhealthy, and not only that it lacks a feature or data. */
export function isNodeFailure(error: unknown): boolean {
  if (!isNodeSpecific(error)) return false
  return !FairleadError.is(error, 'RPC_ERROR') || ![-32601, -32004, 4444].includes(error.details.rpcCode)
}

/** Returns whether the node certainly did not execute the call, so that it can be sent to another node. */
export function isUnprocessed(error: unknown): boolean {
  // A call on a connection closed by the caller may already have been sent; when a server closes during a call, it
  // fails with another code.
  if (FairleadError.is(error, 'TRANSPORT_CLOSED')) return error.details.closeCode !== closedByCaller.code
  if (FairleadError.is(error, 'TRANSPORT_FAILED') || FairleadError.is(error, 'TRANSPORT_TIMEOUT')) {
    return error.details.attempt === 0 || hasNeverConnected(error)
  }
  if (FairleadError.is(error, 'HTTP_STATUS')) return error.details.status < 500
  if (!FairleadError.is(error, 'RPC_ERROR')) return false
  return ![-32603, -32002].includes(error.details.rpcCode) && error.details.status < 500
}

/** The same bytes are the same transaction: a chain includes it once, however often and wherever it is sent. */
export const isRawTransaction = ({ method }: RpcRequest): boolean => method === 'eth_sendRawTransaction'

/** Returns whether a failed call may be sent to another node. */
export function mayFallThrough(error: unknown, request: RpcRequest): boolean {
  return isIdempotent(request.method) || isRawTransaction(request) || isUnprocessed(error)
}
