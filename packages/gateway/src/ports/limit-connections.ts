import { AddressRates } from '@fairlead/gateway-core/clients/address-rates'
import { attachMemory, memoryOf } from '@fairlead/gateway-core/clients/client-memory'
import type { Clients } from '@fairlead/gateway-core/clients/clients'
import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

/** Limits of connections; 0 = unlimited. The limits may change, which affects new connections. */
export interface ConnectionLimits {
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
  /** Rate of new connections per address and second; ten times as many may be opened at once. */
  readonly maxConnectionRate: number
}

/** Limits the connections of all ports of one process. */
export interface ConnectionLimiter {
  /** Limits the connections of a server. */
  limit(server: Server): void
  change(limits: ConnectionLimits): void
}

const burstSeconds = 10

/**
 * Creates a limiter that closes each connection beyond the limits immediately. `server.maxConnections` is not suitable:
 * full processes would pass a connection around endlessly.
 *
 * @param isProxy - whether an IP address is that of a trusted proxy, which has the connections of many clients
 * @param clients - reserves the memory of each connection; none is reserved when omitted
 */
export function limitConnections(
  initialLimits: ConnectionLimits,
  isProxy: (address: string) => boolean,
  clients?: Clients,
): ConnectionLimiter {
  let limits = initialLimits
  let count = 0
  const byAddress = new Map<string, number>()
  const rate = new AddressRates(limits.maxConnectionRate, limits.maxConnectionRate * burstSeconds)
  const isAllowed = (address: string): boolean => {
    const { maxConnections, maxConnectionsPerAddress } = limits
    if (maxConnections > 0 && count >= maxConnections) return false
    if (isProxy(address)) return true
    const ofAddress = byAddress.get(address) ?? 0
    if (maxConnectionsPerAddress > 0 && ofAddress >= maxConnectionsPerAddress) return false
    return rate.count(address)
  }
  const open = (socket: Socket, isTls: boolean): void => {
    const address = socket.remoteAddress ?? ''
    if (!isAllowed(address) || clients?.open(socket, isTls) === false) {
      socket.destroy()
      return
    }
    count += 1
    byAddress.set(address, (byAddress.get(address) ?? 0) + 1)
    socket.once('close', () => {
      count -= 1
      const remaining = (byAddress.get(address) ?? 1) - 1
      if (remaining > 0) byAddress.set(address, remaining)
      else byAddress.delete(address)
    })
  }
  return {
    limit: (server) => {
      const isTls = server.listenerCount('secureConnection') > 0
      server.prependListener('connection', (socket: Socket) => open(socket, isTls))
      if (isTls) passMemoryOn(server)
    },
    change: (next) => {
      limits = next
      rate.change(limits.maxConnectionRate, limits.maxConnectionRate * burstSeconds)
    },
  }
}

/** Attaches the memory of a TCP connection also to the TLS connection that uses it. */
function passMemoryOn(server: Server): void {
  const sockets = new Map<string, Socket>()
  const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket)
    sockets.set(key, socket)
    socket.once('close', () => sockets.delete(key))
  })
  server.prependListener('secureConnection', (secure: TLSSocket) => {
    const socket = sockets.get(keyOf(secure))
    const memory = socket && memoryOf({ socket })
    if (memory) attachMemory(secure, memory)
  })
}
