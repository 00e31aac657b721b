import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Finds a free loopback port.
 *
 * @param preferred Port to use when it is free.
 * @returns The port; another process may use it before the caller does.
 */
export async function chooseFreePort(preferred: number | undefined): Promise<number> {
  return (preferred === undefined ? undefined : await tryPort(preferred)) ?? (await tryPort(0)) ?? 0
}

async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer()
  try {
    server.listen({ host: '127.0.0.1', port, exclusive: true })
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' ? address?.port : undefined
  } catch {
    return undefined
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}
