import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { parseConfiguration } from '../configuration/parse-configuration.ts'
import { type ConnectionLimits, limitConnections } from './limit-connections.ts'

/** Returns how many of the given connections stay open. */
async function opened(limits: ConnectionLimits, isProxy: boolean, number: number): Promise<number> {
  const server = createServer((socket) => void socket.write('taken'))
  limitConnections(limits, () => isProxy)(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const outcomes = await Promise.all(
    Array.from({ length: number }, async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
      const served = once(socket, 'data').then(() => true)
      return Promise.race([served, once(socket, 'close').then(() => false)])
    }),
  )
  return outcomes.filter(Boolean).length
}

it('closes connections above the limit per address, except those of a trusted proxy', async () => {
  const limits = { maxConnections: 0, maxConnectionsPerAddress: 3 }
  expect(await opened(limits, false, 5)).toBe(3)
  expect(await opened(limits, true, 5)).toBe(5)
})

it('closes connections above the total limit, including those of a trusted proxy', async () => {
  const limits = { maxConnections: 4, maxConnectionsPerAddress: 3 }
  expect(await opened(limits, true, 6)).toBe(4)
})

it('has limits unless they are set to 0', () => {
  const { maxConnections, maxConnectionsPerAddress } = parseConfiguration({})
  expect({ maxConnections, maxConnectionsPerAddress }).toEqual({
    maxConnections: 10_000,
    maxConnectionsPerAddress: 5_000,
  })
  // A single address cannot use all connections.
  expect(maxConnectionsPerAddress).toBeLessThan(maxConnections)
})
