import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP relay whose connections a test can break. */
export interface Relay {
  readonly url: string
  /** Breaks every connection without notice, and accepts no new ones until the returned function is called. */
  cut(): () => void
  close(): Promise<void>
}

/** Starts a relay to a local server. */
export async function startRelay(target: string): Promise<Relay> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(Number(new URL(target).port), '127.0.0.1')
    client.pipe(upstream)
    upstream.pipe(client)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.setNoDelay(true)
      one.on('error', () => undefined)
      one.once('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.resetAndDestroy()
    return () => (isCut = false)
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
