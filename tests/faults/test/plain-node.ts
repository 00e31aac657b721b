import { once } from 'node:events'
import { createServer } from 'node:http'

/** Starts a node that responds to every call immediately. */
export async function startPlainNode(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json')
    request.on('end', () => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
