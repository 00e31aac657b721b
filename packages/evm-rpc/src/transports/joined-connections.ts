import { callListener } from '../call-listener.ts'
import type { ConnectionEvent, Transport } from '../transport.ts'

/** The connections of several transports as one, which is open as long as one of them is open. */
export function joinConnections(transports: readonly Transport[]): Pick<Transport, 'onConnection'> {
  const persistent = transports.filter(({ onConnection }) => onConnection)
  if (persistent.length === 0) return {}
  const open = new Set<Transport>()
  const ended = new Set<Transport>()
  // Tracked from the start, because later listeners must know which connections are already open.
  const listeners = new Set<(event: ConnectionEvent) => void>()
  const emit = (event: ConnectionEvent): void => {
    for (const listener of listeners) callListener(() => listener(event))
  }
  for (const transport of persistent) {
    transport.onConnection?.((event) => {
      const before = open.size
      if (event.type === 'connect') open.add(transport)
      else open.delete(transport)
      if (event.type === 'disconnect' && !event.willReconnect) ended.add(transport)
      const willReconnect = ended.size < persistent.length
      const isDisconnect =
        event.type === 'disconnect' && (before > open.size ? open.size === 0 : !willReconnect)
      if (event.type === 'connect' && before === 0) emit(event)
      else if (isDisconnect) emit({ ...event, willReconnect })
    })
  }
  return {
    onConnection(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
