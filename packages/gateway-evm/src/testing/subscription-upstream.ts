import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'

/** A WebSocket upstream that accepts every subscription and sends no notifications. */
export interface SubscriptionUpstream {
  readonly server: WebSocketServer
  readonly url: string
  /** Number of received subscriptions. */
  readonly subscribed: number
}

/**
 * Starts the upstream, until the running test ends.
 *
 * @param isResponding - false for an upstream that does not respond to subscriptions
 */
export async function startSubscriptionUpstream({ isResponding = true } = {}): Promise<SubscriptionUpstream> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const upstream = { server, url: '', subscribed: 0 }
  server.on('connection', (client) =>
    client.on('message', (data: Buffer) => {
      const { id, method } = JSON.parse(data.toString()) as { id: number; method: string }
      if (method !== 'eth_subscribe') return
      upstream.subscribed += 1
      if (isResponding) client.send(JSON.stringify({ jsonrpc: '2.0', id, result: `0x${id}` }))
    }),
  )
  await once(server, 'listening')
  onTestFinished(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  upstream.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  return upstream
}
