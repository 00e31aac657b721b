import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { reservePort } from '@fairlead/vitest/reserved-port'

/** Handles a request that is not a health check. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** An HTTP server that acts as a beacon node, with the health that the test sets. */
export interface BeaconServer {
  readonly url: string
  /** Data of its response to `/eth/v1/node/syncing`. */
  readonly health: {
    head_slot: string
    is_syncing: boolean
    is_optimistic: boolean
    el_offline: boolean
    sync_distance: string
  }
  /** Method and target of every request so far, without health checks. */
  readonly requests: string[]
  /** Number of health checks so far. */
  readonly checks: number
  serve(handler: Handler): void
  /** Accepts requests, but no longer responds. */
  hang(): void
  /** Closes all connections and accepts no new ones. */
  stop(): Promise<void>
  /** Listens again, on the same port. */
  start(): Promise<void>
}

/**
 * Starts a server until the running test ends. It responds with `{"data":"<name>"}` until the test sets another
 * handler.
 */
export async function beaconServer(name = 'node'): Promise<BeaconServer> {
  let handler: Handler = (_, response) => sendJson(response, { data: name })
  let server: Server | undefined
  const port = await reservePort()
  let checks = 0
  let isHanging = false
  const requests: string[] = []
  const health = {
    head_slot: '100',
    is_syncing: false,
    is_optimistic: false,
    el_offline: false,
    sync_distance: '0',
  }
  const start = async () => {
    const opened = createServer((request, response) => {
      if (isHanging) return
      if (request.url === '/eth/v1/node/syncing') {
        checks += 1
        sendJson(response, { data: health })
        return
      }
      requests.push(`${request.method} ${request.url}`)
      handler(request, response)
    })
    await new Promise<void>((resolve) => opened.listen(port, '127.0.0.1', resolve))
    server = opened
  }
  const stop = async () => {
    const opened = server
    server = undefined
    await new Promise<void>((resolve) => {
      if (!opened) return resolve()
      opened.close(() => resolve())
      opened.closeAllConnections()
    })
  }
  await start()
  onTestFinished(stop)
  return {
    url: `http://127.0.0.1:${port}`,
    health,
    requests,
    get checks() {
      return checks
    },
    serve: (next) => (handler = next),
    hang: () => (isHanging = true),
    stop,
    start,
  }
}

/** Sends a JSON response. */
export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
