import { Agent, type IncomingHttpHeaders, request } from 'node:http'

/** A request in its wire form, which is sent unchanged. */
export interface WireRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** A received response. */
export interface WireResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends requests to one local port, over keep-alive connections. */
export interface HttpExchange {
  send(request: WireRequest): Promise<WireResponse>
  close(): void
}

/** Opens connections to a loopback port on demand. */
export function openExchange(port: number): HttpExchange {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  return {
    send: ({ method, target, headers, body }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
        const options = { port, host: '127.0.0.1', method, path: target, headers: { ...length, ...headers } }
        const outgoing = request({ ...options, agent }, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const { statusCode: status = 0, headers: responseHeaders } = response
            resolve({ status, headers: responseHeaders, body: Buffer.concat(chunks).toString() })
          })
        })
        outgoing.on('error', reject)
        outgoing.end(body)
      }),
    close: () => agent.destroy(),
  }
}
