import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { platform } from 'node:process'
import { setImmediate as nextTick } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { closeAll, closeLater, grpcJsClient } from '../server/testing/text-service.ts'
import { createPortServer } from './port-server.ts'
import { listenToBoth } from './testing/both-servers.ts'

afterEach(closeAll)

const clients = 64

/** Number of event-loop ticks in which a port accepts clients that connect at the same time. */
async function ticksToAccept(acceptors: number): Promise<number> {
  const { port } = await listenToBoth({ acceptors })
  const accepted: number[] = []
  let ticks = 0
  port.server.on('connection', () => accepted.push(ticks))
  for (let count = 0; count < clients; count += 1) {
    const socket = connect(port.address.port, '127.0.0.1').on('error', () => undefined)
    closeLater(() => void socket.destroy())
  }
  for (; accepted.length < clients; ticks += 1) await nextTick()
  return ticks - (accepted[0] ?? 0)
}

describe('a port with several acceptors', () => {
  it.skipIf(platform !== 'linux')('accepts many clients in few event-loop ticks', async () => {
    expect(await ticksToAccept(16)).toBeLessThan(clients / 2)
  })

  it('serves HTTP/1.1 and gRPC, and limits the connections of all acceptors together', async () => {
    const both = await listenToBoth({ acceptors: 8, maxConnections: 20 })
    expect(await (await fetch(both.url)).text()).toBe('')
    expect(await grpcJsClient(both).one('hello')).toBe('hello from 127.0.0.1')
    const isServed = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(both.port.address.port, '127.0.0.1').on('error', () => undefined)
        closeLater(() => void socket.destroy())
        socket.once('data', () => resolve(true)).once('close', () => resolve(false))
        socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      })
    const served = await Promise.all(Array.from({ length: 40 }, isServed))
    expect(served.filter(Boolean).length).toBeLessThanOrEqual(20)
    expect(both.port.connections).toBeLessThanOrEqual(20)
  })

  it('reports a port that is in use', async () => {
    const other = createTcpServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    closeLater(() => void other.close())
    const { port } = other.address() as { readonly port: number }
    const sharing = await listenToBoth({ acceptors: 4 })
    for (const used of [port, sharing.port.address.port]) {
      const server = createPortServer({ http1: createServer(), http2: sharing.grpc.http2, acceptors: 4 })
      await expect(server.listen({ port: used })).rejects.toThrow('EADDRINUSE')
    }
  })

  it('accepts no connection after it has closed', async () => {
    const both = await listenToBoth({ acceptors: 16 })
    const { port } = both.port.address
    await both.port.close()
    for (let count = 0; count < 32; count += 1) {
      const socket = connect(port, '127.0.0.1')
      await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED')
    }
  })
})
