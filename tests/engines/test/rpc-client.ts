import { WebSocket } from 'ws'
import { once } from 'node:events'

/** The response of a JSON-RPC server. */
export interface Response {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Calls a method. */
export type RequestFn = (method: string, params: readonly unknown[]) => Promise<Response>

/** Calls a method and returns its result. */
export type ResultFn = <result>(method: string, ...params: readonly unknown[]) => Promise<result>

/** Calls over HTTP. */
export function overHttp(
  url: string,
  headers: () => Readonly<Record<string, string>> = () => ({}),
): RequestFn {
  return async (method, params) =>
    (await post(url, { jsonrpc: '2.0', id: 1, method, params }, headers())) as Response
}

/** Calls over HTTP, each as the second call of a batch of three. */
export function inBatches(url: string): RequestFn {
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

/**
 * Wraps a call so that it returns results.
 *
 * @returns a call that throws the error of the response
 */
export function resultsOf(request: RequestFn): ResultFn {
  return async <result>(method: string, ...params: readonly unknown[]) => {
    const { result, error } = await request(method, params)
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result as result
  }
}

/** A WebSocket that carries both calls and notifications. */
export interface Socket {
  readonly request: RequestFn
  /** The notifications so far, in order of arrival: parameters of `eth_subscription`. */
  readonly notifications: readonly Notification[]
  /** The close code, once it is closed. */
  closed(): number | undefined
  close(): void
}

/** Parameters of `eth_subscription`. */
export interface Notification {
  readonly subscription: string
  readonly result: unknown
}

/** Opens a WebSocket. */
export async function openSocket(url: string): Promise<Socket> {
  const socket = new WebSocket(url)
  const pending = new Map<number, (response: Response) => void>()
  const notifications: Notification[] = []
  let closeCode: number | undefined
  socket.on('close', (code) => (closeCode = code))
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Response & { id?: number; params?: Notification }
    if (message.params !== undefined) notifications.push(message.params)
    else if (message.id !== undefined) pending.get(message.id)?.(message)
  })
  await once(socket, 'open')
  let id = 0
  return {
    request: (method, params) => {
      id += 1
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return new Promise((resolve) => pending.set(id, resolve))
    },
    notifications,
    closed: () => closeCode,
    close: () => socket.terminate(),
  }
}

async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return response.json()
}
