import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

// Systems take the ports of `listen(0)` and of outgoing connections from a range above these ports. The development
// network uses the ports from 20,000 on.
const firstPort = 10_000
const endPort = 20_000
const blockSize = 100

let block: Promise<number> | undefined
let reserved = 0

/**
 * Reserves a loopback port for a server that starts again on the same port, or that runs in a separate process.
 *
 * No other process that uses this function gets the port, and the system gives it to no process that requests any port.
 */
export async function reservePort(): Promise<number> {
  block ??= reserveBlock()
  const first = await block
  for (let tries = 1; tries < blockSize; tries += 1) {
    reserved = (reserved % (blockSize - 1)) + 1
    const port = first + reserved
    const server = await listenOn(port)
    if (server === undefined) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
  throw new Error(`All ports from ${first} on are in use.`)
}

/** Listens on the first port of a block until this process ends. The other ports of the block belong to this process. */
async function reserveBlock(): Promise<number> {
  const blocks = (endPort - firstPort) / blockSize
  for (let tries = 0; tries < blocks; tries += 1) {
    const first = firstPort + ((process.pid + tries) % blocks) * blockSize
    const server = await listenOn(first)
    if (server === undefined) continue
    server.on('connection', (socket) => socket.destroy()).unref()
    return first
  }
  throw new Error(`All blocks of ports from ${firstPort} on are reserved.`)
}

/** Returns undefined if the port is in use. */
async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer()
  server.listen({ host: '127.0.0.1', port, exclusive: true })
  try {
    await once(server, 'listening')
    return server
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    throw error
  }
}
