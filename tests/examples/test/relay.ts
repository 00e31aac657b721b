import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP relay whose connections a test can break. */
export interface Relay {
  readonly url: string
  /** Breaks every connection without notice, and accepts no new ones until the returned function is called. */
  disconnect(): () => void
  close(): Promise<void>
}

/** Starts a relay to a local server. */
export async function startRelay(target: string): Promise<Relay> {
  const sockets = new Set<Socket>()
  let isDisconnected = false
  const server = createServer((client) => {
    if (isDisconnected) {
      client.destroy()
      return
    }
    const upstream = connect(Number(new URL(target).port), '127.0.0.1')
    client.pipe(upstream)
    upstream.pipe(client)
    for (const [source, destination] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(source)
      source.setNoDelay(true)
      source.on('error', () => undefined)
      source.once('close', () => {
        sockets.delete(source)
        destination.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const disconnect = () => {
    isDisconnected = true
    for (const socket of sockets) socket.resetAndDestroy()
    return () => (isDisconnected = false)
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    disconnect,
    async close() {
      disconnect()
      server.close()
      await once(server, 'close')
    },
  }
}
