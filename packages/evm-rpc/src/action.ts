import type { RpcRequest } from './transport.ts'

/** The client of an action: a client, a transport, or any object with a `request` as in EIP-1193. */
export interface ActionClient {
  request(request: RpcRequest): Promise<unknown>
}

/** Calls a method; omitted trailing parameters are not sent. */
export function call(client: ActionClient, method: string, params: unknown[]): Promise<never> {
  while (params.length > 0 && params.at(-1) === undefined) params.pop()
  return client.request({ method, params }) as Promise<never>
}
