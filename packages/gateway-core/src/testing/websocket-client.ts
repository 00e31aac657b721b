import { once } from 'node:events'
import { type ClientOptions, WebSocket } from 'ws'

/** A parsed response or notification. */
export interface Message {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  readonly method?: string
  readonly params?: { readonly subscription: string; readonly result: never }
}

/** A WebSocket client that records all messages it receives. */
export interface Client {
  readonly socket: WebSocket
  /** All received messages, in order. */
  readonly messages: (Message | readonly Message[])[]
  /** Sends text and waits for the next message that is not a notification. */
  request(text: string): Promise<Message & readonly Message[]>
  /** Calls one method. */
  call(method: string, params?: unknown): Promise<Message>
  /** Subscribes and returns the subscription id. */
  subscribe(...params: unknown[]): Promise<string>
  /** Results received for a subscription so far. */
  results<result>(id: string): result[]
  /** Code and reason of the close, once the connection is closed. */
  readonly closed: Promise<readonly [code: number, reason: string]>
}

/** Opens a WebSocket. */
export async function openWebSocket(url: string, options: ClientOptions = {}): Promise<Client> {
  const socket = new WebSocket(url, options)
  const messages: Message[] = []
  const waiting: ((message: Message) => void)[] = []
  const byId = new Map<string, unknown[]>()
  socket.on('message', (data) => {
    const message = JSON.parse((data as Buffer).toString()) as Message
    messages.push(message)
    if (message.method === undefined) return waiting.shift()?.(message)
    const { subscription, result } = message.params as NonNullable<Message['params']>
    byId.set(subscription, [...(byId.get(subscription) ?? []), result])
  })
  const closed = once(socket, 'close').then(([code, reason]) => [code as number, String(reason)] as const)
  // A rejected handshake rejects the opening, and no code waits for the close.
  closed.catch(() => undefined)
  await once(socket, 'open')
  socket.on('error', () => undefined)
  let lastId = 0
  const request = (text: string) =>
    new Promise<never>((resolve) => {
      waiting.push(resolve as (message: Message) => void)
      socket.send(text)
    })
  const call = (method: string, params: unknown = []): Promise<Message> =>
    request(JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params }))
  return {
    socket,
    messages,
    request,
    call,
    closed,
    subscribe: async (...params) => {
      const { result, error } = await call('eth_subscribe', params)
      if (error) throw new Error(`${error.code} ${error.message}`)
      return result as string
    },
    results: <result>(id: string) => (byId.get(id) ?? []) as result[],
  }
}

/** Returns the HTTP response to a handshake that is rejected. */
export async function rejectedHandshake(
  url: string,
  options: ClientOptions = {},
): Promise<{ status: number; headers: Record<string, unknown>; body: Message }> {
  const socket = new WebSocket(url, options)
  socket.on('error', () => undefined)
  const [, response] = await once(socket, 'unexpected-response')
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) as Message }
}
