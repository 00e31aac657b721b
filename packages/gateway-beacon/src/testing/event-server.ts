import type { ServerResponse } from 'node:http'
import { type BeaconServer, beaconServer } from './beacon-server.ts'

/** An HTTP server that acts as a beacon node and streams the bytes that the test sends. */
export interface EventServer extends BeaconServer {
  /** The open streams. */
  readonly streams: Set<ServerResponse>
  /** Sends bytes on every open stream. */
  send(bytes: string | Buffer): void
}

/**
 * Starts a server until the running test ends. Each request opens an event stream until the test sets another handler.
 */
export async function eventServer(): Promise<EventServer> {
  const server = await beaconServer()
  const streams = new Set<ServerResponse>()
  server.serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    streams.add(response)
    response.on('close', () => streams.delete(response))
  })
  const send = (bytes: string | Buffer) => {
    for (const stream of streams) stream.write(bytes)
  }
  // Not spread: a spread would copy the current values of the counters.
  return Object.assign(Object.create(server) as BeaconServer, { streams, send })
}
