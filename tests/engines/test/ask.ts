import { WebSocket } from 'ws'
import { once } from 'node:events'

/** What a JSON-RPC server answered. */
export interface Response {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Calls a method. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<Response>

/** Calls by HTTP. */
export function overHttp(url: string): Ask {
  return async (method, params) => (await post(url, { jsonrpc: '2.0', id: 1, method, params })) as Response
}

/** Calls by HTTP, each as the second of a batch of three. */
export function inBatches(url: string): Ask {
  return async (method, params) => {
    const chainId = { jsonrpc: '2.0', method: 'eth_chainId', params: [] }
    const batch = [
      { ...chainId, id: 1 },
      { jsonrpc: '2.0', id: 2, method, params },
      { ...chainId, id: 3 },
    ]
    const responses = (await post(url, batch)) as readonly (Response & { readonly id: number })[]
    const response = responses.find(({ id }) => id === 2)
    if (!response) throw new Error(`no response to ${method} in ${JSON.stringify(responses)}`)
    return response
  }
}

/** Calls over one WebSocket, one after the other. */
export async function overWebSocket(url: string): Promise<Ask> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  let id = 0
  return async (method, params) => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }))
    const [data]: unknown[] = await once(socket, 'message')
    return JSON.parse(String(data)) as Response
  }
}

async function post(url: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}
