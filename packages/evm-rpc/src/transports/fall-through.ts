import { FairleadError, hasNeverConnected } from '@fairlead/core'
import type { RpcRequest } from '../transport.ts'
import { closedByCaller } from './close-code.ts'
import { isIdempotent } from './idempotent.ts'
import { isRevert } from './refusal.ts'

// Not found, not supported, too much, unavailable, internal, pruned: what is true of one node and not of another.
const ofOneNode: readonly number[] = [-32601, -32004, -32005, -32002, -32603, 429, 4444]

/**
 * Tells whether another node may answer where this one failed.
 *
 * It may not when the error is about the call itself: a revert, wrong parameters, a nonce.
 */
export function isOfOneNode(error: unknown): boolean {
  if (FairleadError.is(error, 'RPC_ERROR')) {
    const { rpcCode, status } = error.context
    if (isRevert(error.context)) return false
    return ofOneNode.includes(rpcCode) || (status >= 401 && status !== 413)
  }
  if (FairleadError.is(error, 'HTTP_STATUS')) return error.context.status !== 400
  return FairleadError.is(error) && /^(TRANSPORT|DECODE|RPC_QUORUM)/.test(error.code)
}

/** Tells whether an error says that a node is unwell, and not only that it lacks something. */
export function isUnwell(error: unknown): boolean {
  if (!isOfOneNode(error)) return false
  return !FairleadError.is(error, 'RPC_ERROR') || ![-32601, -32004, 4444].includes(error.context.rpcCode)
}

/** Tells whether it is certain that the node did nothing, so that another may be asked to do it. */
export function isUndone(error: unknown): boolean {
  // What the caller closed may have been on its way; what a server ends on its way fails with another code.
  if (FairleadError.is(error, 'TRANSPORT_CLOSED')) return error.context.closeCode !== closedByCaller.code
  if (FairleadError.is(error, 'TRANSPORT_FAILED') || FairleadError.is(error, 'TRANSPORT_TIMEOUT')) {
    return error.context.attempt === 0 || hasNeverConnected(error)
  }
  if (FairleadError.is(error, 'HTTP_STATUS')) return error.context.status < 500
  if (!FairleadError.is(error, 'RPC_ERROR')) return false
  return ![-32603, -32002].includes(error.context.rpcCode) && error.context.status < 500
}

/** The same bytes are the same transaction: a chain takes it once, however often and wherever it is sent. */
export const isRawTransaction = ({ method }: RpcRequest): boolean => method === 'eth_sendRawTransaction'

/** Tells whether a call that failed may be sent to another node. */
export function mayMoveOn(error: unknown, request: RpcRequest): boolean {
  return isIdempotent(request.method) || isRawTransaction(request) || isUndone(error)
}
