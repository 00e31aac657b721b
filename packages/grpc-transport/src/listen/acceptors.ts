import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net'

/** Options of {@link listenWithAcceptors}. */
export interface AcceptorOptions extends ListenOptions {
  /** Number of sockets that listen, with that of the server. */
  readonly acceptors: number
}

/** Options of a server that accepts connections. */
export const acceptorOptions = { noDelay: true, allowHalfOpen: true } as const

/**
 * Listens on a port with several sockets, among which the operating system divides the connections: Node.js accepts one
 * connection of each socket in an event-loop tick. Where the platform does not support it, one socket listens.
 *
 * @param server - receives all connections
 * @returns the additional servers, which only accept connections
 * @throws the error of `listen`, also when another process listens on the port
 */
export async function listenWithAcceptors(
  server: Server,
  { acceptors, ...address }: AcceptorOptions,
): Promise<readonly Server[]> {
  if (acceptors <= 1) {
    await listen(server, address)
    return []
  }
  // The operating system chooses a port that no other socket uses.
  if (address.port !== 0) await assertFree(address)
  try {
    await listen(server, { ...address, reusePort: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTSUP') throw error
    await listen(server, address)
    return []
  }
  const { port } = server.address() as AddressInfo
  const shared = { ...address, port, reusePort: true }
  const additional: Server[] = []
  while (additional.length < acceptors - 1) {
    const acceptor = createServer(acceptorOptions, (socket: Socket) => server.emit('connection', socket))
    try {
      await listen(acceptor, shared)
    } catch {
      // Node.js 22 ignores the option, so the port is in use.
      break
    }
    // A connection that could not be accepted affects no other one.
    acceptor.on('error', () => undefined)
    additional.push(acceptor)
  }
  return additional
}

/**
 * @throws the error of `listen` for a port on which another process listens: sockets that share a port do not notice it
 */
async function assertFree(address: ListenOptions): Promise<void> {
  const probe = createServer()
  await listen(probe, address)
  probe.close()
  await once(probe, 'close')
}

async function listen(server: Server, address: ListenOptions): Promise<void> {
  server.listen(address)
  await once(server, 'listening')
}
