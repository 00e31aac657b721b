import type { RequestHandler } from '@fairlead/gateway-core/http/dependencies'
import { type HttpRequest, type HttpResponse, sendContent } from '@fairlead/gateway-core/http/types'
import type { Route } from '@fairlead/gateway-core/http/router'
import type { Readiness } from './readiness.ts'
import { equalInConstantTime, sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { isLoopback, isLoopbackHost } from '@fairlead/gateway-core/http/loopback'

/** What the health and metrics endpoints report. */
export interface Observed {
  /** The metrics as text, of the given type. */
  readonly metrics: { readonly contentType: string; text(): Promise<string> }
  /** Name or address that the operator lets the gateway listen on; local clients may use it as the host. */
  readonly listeningHost: string
  /** Bearer token for the metrics. Without one, only loopback clients may read them. */
  metricsToken(): string | undefined
  ready(): Promise<Readiness>
}

/** Creates the routes of `/healthz`, `/readyz` and `/metrics`. */
export function operationsRoutes({
  metrics,
  listeningHost,
  metricsToken,
  ready,
}: Observed): readonly Route<RequestHandler>[] {
  const responders: Record<string, Responder> = {
    '/healthz': async (_, response) => send(response, 200, 'text/plain; charset=utf-8', 'ok\n'),
    '/readyz': async (_, response) => {
      const { isReady, lines } = await ready()
      send(response, isReady ? 200 : 503, 'text/plain; charset=utf-8', `${lines.join('\n')}\n`)
    },
    '/metrics': async (request, response) => {
      const token = metricsToken()
      if (!mayReadMetrics(request, token)) {
        response.setHeader('www-authenticate', 'Bearer realm="metrics"')
        send(response, 401, 'text/plain; charset=utf-8', 'unauthorized\n')
      } else if (token === undefined && !isOwnHost(request.headers.host, listeningHost)) {
        send(response, 403, 'text/plain; charset=utf-8', foreignHostText)
      } else send(response, 200, metrics.contentType, await metrics.text())
    },
  }
  return Object.entries(responders).map(([path, respond]) => ({
    pattern: { path },
    handler: (request, response) => {
      if (request.method === 'GET' || request.method === 'HEAD') {
        respond(request, response).catch(() => response.destroy())
      } else {
        response.setHeader('allow', 'GET, HEAD')
        send(response, 405, 'text/plain; charset=utf-8', 'method not allowed\n')
      }
    },
  }))
}

const foreignHostText =
  'Without FAIRLEAD_METRICS_TOKEN, the Host header must be localhost, 127.0.0.1 or [::1], with or without a port.\n'

function isOwnHost(host: string | undefined, listeningHost: string): boolean {
  return isLoopbackHost(host) || host?.replace(/:\d+$/, '').toLowerCase() === listeningHost.toLowerCase()
}

type Responder = (request: HttpRequest, response: HttpResponse) => Promise<void>

function send(response: HttpResponse, status: number, type: string, text: string): void {
  sendContent(response, status, { 'content-type': type, 'cache-control': 'no-store' }, text)
}

function mayReadMetrics({ headers, socket }: HttpRequest, token: string | undefined): boolean {
  if (token === undefined) {
    // Behind a proxy on this machine, every client appears to be on this machine.
    const isDirect = headers['x-forwarded-for'] === undefined && headers['forwarded'] === undefined
    return isDirect && isLoopback(socket.remoteAddress ?? '')
  }
  return equalInConstantTime(sha256Hex(headers.authorization ?? ''), sha256Hex(`Bearer ${token}`))
}
