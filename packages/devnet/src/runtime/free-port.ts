import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Systems take the ports of `listen(0)` and of outgoing connections from a range above this one.
const firstPort = 20_000
const endPort = 32_000
const maxTries = 1_000

/**
 * Finds a free loopback port.
 *
 * @param preferred Port to use when it is free.
 * @returns The preferred port, or a random one between 20,000 and 32,000. The system gives such a port to no other
 *   process that requests any port; a process that requests this port may use it before the caller does.
 */
export async function chooseFreePort(preferred: number | undefined): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred))) return preferred
  for (let tries = 0; tries < maxTries; tries++) {
    const port = randomInt(firstPort, endPort)
    if (await isFree(port)) return port
  }
  return 0
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen({ host: '127.0.0.1', port, exclusive: true })
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}
