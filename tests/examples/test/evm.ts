import { inject } from 'vitest'
import type { DevelopmentNode } from './gateway.ts'

/** A log in its JSON-RPC form. */
export interface Log {
  readonly blockNumber: string
  readonly blockHash: string
  readonly logIndex: string
  readonly transactionHash: string
  readonly data: string
  readonly topics: readonly string[]
}

/** The node of the embedded EVM chain. */
export function evmNode(): DevelopmentNode {
  return inject('development').nodes[0]
}

/** Calls a method through the gateway, without any of our clients. */
export async function call<result>(method: string, ...params: readonly unknown[]): Promise<result> {
  const { node_url, token } = evmNode()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${node_url}/${token}`, { method: 'POST', headers, body })
  const parsed: { result: result; error?: { message: string } } = await response.json()
  if (parsed.error) throw new Error(`${method}: ${parsed.error.message}`)
  return parsed.result
}

/** The transfers of the sample token that the chain has now. */
export function transfers(): Promise<readonly Log[]> {
  const topics = ['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef']
  const address = evmNode().example['contract']
  return call('eth_getLogs', { address, topics, fromBlock: '0x0', toBlock: 'latest' })
}
