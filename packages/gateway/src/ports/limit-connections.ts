import type { Server, Socket } from 'node:net'

/** Most connections; 0 stands for any number. They may change, for connections that come then. */
export interface ConnectionLimits {
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
}

/**
 * Closes at once each connection beyond the limits, over all ports of one process. `server.maxConnections` would not do:
 * processes that are full would hand a connection round and round.
 *
 * @param isProxy - whether an address is that of a trusted proxy, which has the connections of many clients
 * @returns counts the connections of one more server
 */
export function limitConnections(
  limits: ConnectionLimits,
  isProxy: (address: string) => boolean,
): (server: Server) => void {
  let count = 0
  const byAddress = new Map<string, number>()
  const take = (socket: Socket): void => {
    const address = socket.remoteAddress ?? ''
    const ofAddress = byAddress.get(address) ?? 0
    const { maxConnections, maxConnectionsPerAddress } = limits
    const isTooMany =
      (maxConnections > 0 && count >= maxConnections) ||
      (maxConnectionsPerAddress > 0 && ofAddress >= maxConnectionsPerAddress && !isProxy(address))
    if (isTooMany) {
      socket.destroy()
      return
    }
    count += 1
    byAddress.set(address, ofAddress + 1)
    socket.once('close', () => {
      count -= 1
      const left = (byAddress.get(address) ?? 1) - 1
      if (left > 0) byAddress.set(address, left)
      else byAddress.delete(address)
    })
  }
  return (server) => void server.prependListener('connection', take)
}
