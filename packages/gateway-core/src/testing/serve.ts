import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { createNodeServer, type NodeRequest, type NodeResponse } from '../http/adapters/node-http.ts'
import { createRouting, type RoutedProtocol, type Routing } from '../protocol/routing.ts'

/** An HTTP server of a test. */
export interface TestServer {
  readonly url: string
  readonly port: number
  /** Number of open connections. */
  connections(): Promise<number>
  stop(): Promise<void>
}

/** Handles a request. */
export type Behaviour = (request: NodeRequest, response: NodeResponse) => unknown

/** Starts an HTTP server on a free port. */
export async function serve(
  behaviour: Behaviour,
  webSockets?: Pick<Routing, 'shouldUpgrade' | 'onUpgrade'>,
): Promise<TestServer> {
  const options = webSockets ? { shouldUpgradeCallback: webSockets.shouldUpgrade } : {}
  const server = createNodeServer(options, (request, response) => void behaviour(request, response))
  if (webSockets) server.on('upgrade', webSockets.onUpgrade)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const connections = promisify<number>((done) => server.getConnections(done))
  return { url: `http://127.0.0.1:${port}`, port, connections, stop }
}

/** Starts an HTTP server of a protocol; requests that match no route of it get 418. */
export function serveProtocol(protocol: RoutedProtocol): Promise<TestServer> {
  const routing = createRouting([protocol], [], (_, response) => response.writeHead(418).end())
  return serve(routing.onRequest, protocol.upgrade && routing)
}

/** Same as {@link serve}, until the current test ends: an upstream whose behaviour the test defines. */
export async function startTestNode(behaviour: Behaviour): Promise<string> {
  const server = await serve(behaviour)
  onTestFinished(server.stop)
  return server.url
}
