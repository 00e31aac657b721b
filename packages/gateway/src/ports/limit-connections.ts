import type { Server, Socket } from 'node:net'

/** Maximum number of connections; 0 = unlimited. The limits may change, which affects new connections. */
export interface ConnectionLimits {
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
}

/**
 * Closes each connection beyond the limits immediately, over all ports of one process. `server.maxConnections` is not
 * suitable: full processes would pass a connection around endlessly.
 *
 * @param isProxy - whether an IP address is that of a trusted proxy, which has the connections of many clients
 * @returns a function that counts the connections of a further server
 */
export function limitConnections(
  limits: ConnectionLimits,
  isProxy: (address: string) => boolean,
): (server: Server) => void {
  let count = 0
  const byAddress = new Map<string, number>()
  const track = (socket: Socket): void => {
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
      const remaining = (byAddress.get(address) ?? 1) - 1
      if (remaining > 0) byAddress.set(address, remaining)
      else byAddress.delete(address)
    })
  }
  return (server) => void server.prependListener('connection', track)
}
