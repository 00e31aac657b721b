import type { RpcRequest } from './transport.ts'

/** What an action calls through: a client, a transport, or anything else with a `request` of EIP-1193. */
export interface ActionClient {
  request(request: RpcRequest): Promise<unknown>
}

/** Calls a method; parameters that were left out at the end are not sent. */
export function call(client: ActionClient, method: string, params: unknown[]): Promise<never> {
  while (params.length > 0 && params.at(-1) === undefined) params.pop()
  return client.request({ method, params }) as Promise<never>
}
