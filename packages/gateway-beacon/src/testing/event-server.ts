import type { ServerResponse } from 'node:http'
import { type BeaconServer, beaconServer } from './beacon-server.ts'

/** An HTTP server in the place of a beacon node that streams what the test says. */
export interface EventServer extends BeaconServer {
  /** The streams that are open. */
  readonly streams: Set<ServerResponse>
  /** Sends bytes on every open stream. */
  send(bytes: string | Buffer): void
}

/** Starts a server until the running test ends; each request opens an event stream until it is told otherwise. */
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
  // Not spread: a spread would copy the counters as they are now.
  return Object.assign(Object.create(server) as BeaconServer, { streams, send })
}
