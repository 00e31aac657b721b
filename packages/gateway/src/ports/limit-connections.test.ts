import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { parseConfiguration } from '../configuration/parse-configuration.ts'
import { type ConnectionLimits, limitConnections } from './limit-connections.ts'

const unlimited = { maxConnections: 0, maxConnectionsPerAddress: 0, maxConnectionRate: 0 }

async function listen(limits: ConnectionLimits, isProxy: boolean): Promise<number> {
  const server = createServer((socket) => void socket.write('taken'))
  limitConnections(limits, () => isProxy).limit(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Opens a connection; returns it when it stays open. */
async function open(port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  const served = once(socket, 'data').then(() => socket)
  return Promise.race([served, once(socket, 'close').then(() => undefined)])
}

/** Returns how many of the given connections stay open. */
async function opened(limits: Partial<ConnectionLimits>, isProxy: boolean, number: number): Promise<number> {
  const port = await listen({ ...unlimited, ...limits }, isProxy)
  const outcomes = await Promise.all(Array.from({ length: number }, () => open(port)))
  return outcomes.filter(Boolean).length
}

it('closes connections above the limit per address, except those of a trusted proxy', async () => {
  const limits = { maxConnectionsPerAddress: 3 }
  expect(await opened(limits, false, 5)).toBe(3)
  expect(await opened(limits, true, 5)).toBe(5)
})

it('closes connections above the total limit, including those of a trusted proxy', async () => {
  const limits = { maxConnections: 4, maxConnectionsPerAddress: 3 }
  expect(await opened(limits, true, 6)).toBe(4)
})

it('closes connections of an address that reconnects too often, except those of a trusted proxy', async () => {
  // Ten may be opened at once; the rate is so low that no further one is allowed during the test.
  const limits = { ...unlimited, maxConnectionRate: 1 }
  for (const isProxy of [false, true]) {
    const port = await listen(limits, isProxy)
    const outcomes: boolean[] = []
    for (let count = 0; count < 30; count++) {
      const socket = await open(port)
      outcomes.push(socket !== undefined)
      socket?.destroy()
    }
    expect(outcomes.every(Boolean)).toBe(isProxy)
    expect(outcomes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => true))
  }
})

it('has limits unless they are set to 0', () => {
  const { maxConnections, maxConnectionsPerAddress, maxConnectionRate } = parseConfiguration({})
  expect({ maxConnections, maxConnectionsPerAddress, maxConnectionRate }).toEqual({
    maxConnections: 10_000,
    maxConnectionsPerAddress: 5_000,
    maxConnectionRate: 500,
  })
  // A single address cannot use all connections.
  expect(maxConnectionsPerAddress).toBeLessThan(maxConnections)
})
