import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { evmNode } from './evm.ts'

/** The node of the embedded EVM chain, with some overridden results. */
export interface FakeNode {
  /** Environment variables that point an example to the node. */
  readonly variables: Readonly<Record<string, string>>
  /** Stops overriding results. */
  forwardUnchanged(): void
  close(): Promise<void>
}

/**
 * Starts a node in front of the embedded EVM chain.
 *
 * @param results - results by method that override those of the chain
 */
export async function startNode(results: Readonly<Record<string, unknown>>): Promise<FakeNode> {
  const { node_url, example } = evmNode()
  let overrides = results
  const headers = { 'content-type': 'application/json' }
  const responseTo = async (request: IncomingMessage): Promise<string> => {
    const body = Buffer.concat(await request.toArray()).toString()
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    if (Object.hasOwn(overrides, method))
      return JSON.stringify({ jsonrpc: '2.0', id, result: overrides[method] })
    return (await fetch(`${node_url}${request.url}`, { method: 'POST', headers, body })).text()
  }
  const server = createServer((request, response) => {
    responseTo(request).then(
      (text) => response.writeHead(200, headers).end(text),
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    variables: {
      NODE_URL: `http://127.0.0.1:${port}`,
      NODE_TOKEN: evmNode().token,
      TOKEN_ADDRESS: example['contract'] ?? '',
    },
    forwardUnchanged: () => (overrides = {}),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
