import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP relay on which a test can cause faults. */
export interface Relay {
  readonly url: string
  /** Breaks every connection. */
  disconnect(): void
  /** Silently drops all bytes of the current connections from now on. Later connections are not affected. */
  blackhole(): void
  /** Holds back all bytes until the returned function is called. */
  delay(): () => void
  close(): Promise<void>
}

/** Starts a relay to a server. */
export async function startRelay(target: string): Promise<Relay> {
  const { port } = new URL(target)
  const pairs = new Set<readonly [Socket, Socket]>()
  let isDelayed = false
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1')
    const pair = [client, upstream] as const
    pairs.add(pair)
    client.pipe(upstream)
    upstream.pipe(client)
    if (isDelayed) for (const socket of pair) socket.pause()
    for (const socket of pair) {
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        pairs.delete(pair)
        for (const end of pair) end.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const disconnect = () => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy()
      upstream.resetAndDestroy()
    }
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    disconnect,
    blackhole() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).resume()
        upstream.unpipe(client).resume()
      }
    },
    delay() {
      isDelayed = true
      for (const socket of [...pairs].flat()) socket.pause()
      return () => {
        isDelayed = false
        for (const socket of [...pairs].flat()) socket.resume()
      }
    },
    async close() {
      disconnect()
      server.close()
      await once(server, 'close')
    },
  }
}
