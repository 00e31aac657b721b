import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestPath } from '@fairlead/gateway-core/http/request-target'
import { equalInConstantTime, sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { isLoopback } from '@fairlead/gateway-core/http/loopback'

/** What the health and metrics addresses report on. */
export interface Observed {
  /** The metrics as text, of the given type. */
  readonly metrics: { readonly contentType: string; text(): Promise<string> }
  /** Bearer token for the metrics; without one only loopback may read them. */
  metricsToken(): string | undefined
  /** Resolves when every part answers; rejects with what does not. */
  ready(): Promise<void>
}

/** Makes the listener for `/healthz`, `/readyz` and `/metrics`; other requests are left untouched. */
export function createOperationsListener({ metrics, metricsToken, ready }: Observed) {
  const answer: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>> = {
    '/healthz': async (_, response) => send(response, 200, 'text/plain; charset=utf-8', 'ok\n'),
    '/readyz': async (_, response) => {
      const problem = await ready().then(
        () => undefined,
        (error: unknown) => (error as Error).message,
      )
      send(response, problem ? 503 : 200, 'text/plain; charset=utf-8', `${problem ?? 'ready'}\n`)
    },
    '/metrics': async (request, response) => {
      if (mayReadMetrics(request, metricsToken()))
        send(response, 200, metrics.contentType, await metrics.text())
      else {
        response.setHeader('www-authenticate', 'Bearer realm="metrics"')
        send(response, 401, 'text/plain; charset=utf-8', 'unauthorized\n')
      }
    },
  }
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = requestPath(request.url ?? '')
    const respond = Object.hasOwn(answer, path) ? answer[path] : undefined
    if (!respond) return false
    if (request.method === 'GET' || request.method === 'HEAD') {
      respond(request, response).catch(() => response.destroy())
    } else {
      response.setHeader('allow', 'GET, HEAD')
      send(response, 405, 'text/plain; charset=utf-8', 'method not allowed\n')
    }
    return true
  }
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
}

function mayReadMetrics({ headers, socket }: IncomingMessage, token: string | undefined): boolean {
  if (token === undefined) {
    // Through a proxy on this machine everybody seems to be on this machine.
    const isDirect = headers['x-forwarded-for'] === undefined && headers['forwarded'] === undefined
    return isDirect && isLoopback(socket.remoteAddress ?? '')
  }
  return equalInConstantTime(sha256Hex(headers.authorization ?? ''), sha256Hex(`Bearer ${token}`))
}
