import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** A request as received. */
export interface Received {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A receiver of webhooks, for tests. */
export interface WebhookReceiver {
  readonly url: string
  readonly port: number
  readonly received: Received[]
  /** Sends the response to subsequent requests; initially 204. */
  respond: (response: ServerResponse, received: Received) => void
  close(): Promise<void>
}

/** Starts a receiver on loopback. */
export async function startReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const { method, url: path, headers } = request
      const received = { method, path, headers, body }
      receiver.received.push(received)
      receiver.respond(response, received)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.')
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${address.port}/hook?from=fairlead`,
    port: address.port,
    received: [],
    respond: (response) => void response.writeHead(204).end(),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

/** Whether a request has the correct signature for a secret, computed independently of the production code. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const parts = new URLSearchParams(String(headers['x-signature']).replaceAll(',', '&'))
  const expected = createHmac('sha256', secret)
    .update(`${parts.get('t')}.${body}`)
    .digest('hex')
  return parts.get('v1') === expected
}
