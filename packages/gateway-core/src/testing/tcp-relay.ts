import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A proxy in front of a port. It can drop all bytes without closing the connections. */
export interface TcpRelay {
  readonly port: number
  /** Number of connections so far. */
  readonly connections: number
  /** Drops all bytes of the existing connections in both directions; later connections are served. */
  silence(): void
}

/** Starts a relay in front of a port of this machine, until the current test ends. */
export async function tcpRelay(target: number): Promise<TcpRelay> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let connections = 0
  const server = createServer((client) => {
    connections += 1
    const node = connect(target, '127.0.0.1')
    const pair = [client, node] as const
    pairs.add(pair)
    client.on('data', (bytes) => node.write(bytes))
    node.on('data', (bytes) => client.write(bytes))
    for (const [one, other] of [pair, pair.toReversed() as [Socket, Socket]] as const) {
      one.on('error', () => undefined).on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    silence: () => {
      for (const pair of pairs) for (const socket of pair) socket.removeAllListeners('data').resume()
    },
  }
}
