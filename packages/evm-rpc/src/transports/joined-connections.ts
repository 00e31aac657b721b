import type { Transport } from '../transport.ts'

/** The connections of several transports as one: it is there as long as one of them is. */
export function joinConnections(transports: readonly Transport[]): Pick<Transport, 'onConnection'> {
  const lasting = transports.filter(({ onConnection }) => onConnection)
  if (lasting.length === 0) return {}
  const open = new Set<Transport>()
  const ended = new Set<Transport>()
  // Followed from the start, as whoever listens later has to know what is open already.
  const listeners = new Set<Parameters<NonNullable<Transport['onConnection']>>[0]>()
  for (const transport of lasting) {
    transport.onConnection?.((event) => {
      const before = open.size
      if (event.type === 'connect') open.add(transport)
      else open.delete(transport)
      if (event.type === 'disconnect' && !event.willReconnect) ended.add(transport)
      const willReconnect = ended.size < lasting.length
      const isEnd = event.type === 'disconnect' && (before > open.size ? open.size === 0 : !willReconnect)
      if (event.type === 'connect' && before === 0) for (const listener of listeners) listener(event)
      else if (isEnd) for (const listener of listeners) listener({ ...event, willReconnect })
    })
  }
  return {
    onConnection(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
