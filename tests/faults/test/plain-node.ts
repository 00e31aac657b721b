import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

interface Call {
  readonly id: unknown
}

/** Starts a node that responds to every call immediately. */
export async function startPlainNode(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    void json(request).then(
      (calls) => response.end(JSON.stringify(responseTo(calls as Call | readonly Call[]))),
      () => response.destroy(),
    )
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

function responseTo(calls: Call | readonly Call[]): unknown {
  return 'id' in calls ? { jsonrpc: '2.0', id: calls.id, result: '0x1' } : calls.map(responseTo)
}
