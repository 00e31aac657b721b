import { redact } from '@fairlead/core'
import type { RpcRequest } from '../transport.ts'

/** A JSON-RPC request object. */
export interface Envelope {
  readonly jsonrpc: '2.0'
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** Wraps calls in request objects; the ids of one connection count up from 1. */
export function createEnvelopes(): (request: RpcRequest) => Envelope {
  let id = 0
  return ({ method, params = [] }) => ({ jsonrpc: '2.0', id: ++id, method, params })
}

/** The name of an exchange in errors: its methods without duplicates. */
export function operationOf(requests: readonly RpcRequest[], secrets: readonly string[]): string {
  return redact([...new Set(requests.map(({ method }) => method))].join(), secrets)
}
