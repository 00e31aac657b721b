import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { addressIn } from '@fairlead/gateway-core/network/network-policy'
import { targetOf } from '@fairlead/gateway-core/network/guarded-agent'
import { guardedConnect, type ConnectionRules } from '@fairlead/gateway-core/network/guarded-connect'
import type { Outcome } from '../records/webhook-deliveries.ts'
import { signatureOf } from './signature.ts'
import { targetProblem } from './target-url.ts'

/** One webhook request. */
export interface WebhookRequest {
  readonly url: string
  readonly secret: string
  readonly eventId: string
  readonly deliveryId: string
  readonly body: string
  /** Time of the request, in milliseconds since 1970. */
  readonly at: number
}

/** Options of {@link sendWebhook}. */
export interface SendOptions extends ConnectionRules {
  /** Timeout of the whole request, in milliseconds. */
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 10_000
// Only the status of the response is used; short responses are read to their end, so that the connection closes
// cleanly.
const maxBytesRead = 1_024

/**
 * Sends one webhook request. It connects to exactly the IP address that passed the check, follows no redirect, and uses
 * only the status of the response. Never rejects.
 */
export async function sendWebhook(request: WebhookRequest, options: SendOptions): Promise<Outcome> {
  const began = performance.now()
  const ended = (status: number | null, error: string | null): Outcome => ({
    delivered: error === null,
    status,
    error,
    durationMs: Math.round(performance.now() - began),
  })
  // The rules may have changed since the URL was accepted.
  if (targetProblem(request.url, options) !== undefined) return ended(null, messages.rejected)
  try {
    const status = await post(request, options)
    return ended(status, status >= 200 && status < 300 ? null : messageOfStatus(status))
  } catch (error) {
    return ended(null, messageOfError(error))
  }
}

async function post(
  { url, secret, eventId, deliveryId, body, at }: WebhookRequest,
  options: SendOptions,
): Promise<number> {
  const target = new URL(url)
  const isSecure = target.protocol === 'https:'
  const signal = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)
  const hostname = addressIn(target.hostname) ?? target.hostname
  return new Promise((resolve, reject) => {
    const sending: ClientRequest = (isSecure ? requestHttps : requestHttp)(
      {
        method: 'POST',
        hostname,
        port: target.port,
        path: `${target.pathname}${target.search}`,
        headers: {
          host: target.host,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'Fairlead webhooks',
          'x-event-id': eventId,
          'x-delivery-id': deliveryId,
          'x-signature': signatureOf(secret, at, body),
        },
        // A new connection, so that no pooled connection is used whose IP address was checked by other rules.
        createConnection: (connectOptions) =>
          guardedConnect(targetOf(connectOptions, isSecure), isSecure, options),
        signal,
      },
      (response) => {
        readSome(response, () => {
          resolve(response.statusCode ?? 0)
          sending.destroy()
        })
      },
    )
    sending.on('error', (error) => reject(signal.aborted ? new TimeoutError() : error))
    sending.end(body)
  })
}

function readSome(response: IncomingMessage, done: () => void): void {
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes >= maxBytesRead) done()
  })
  // The status is sufficient, however the response body ends.
  response.on('close', done).on('error', done)
}

class TimeoutError extends Error {
  readonly code = 'TIMEOUT'
}

const messages = {
  rejected: 'The IP address of the receiver is not allowed for webhooks.',
  unknown: 'The name of the receiver cannot be resolved.',
  timeout: 'The receiver did not respond in time.',
  certificate: 'The certificate of the receiver is not valid.',
  unreachable: 'The receiver did not respond.',
  redirect: 'The receiver responded with a redirect. Redirects are not followed.',
  status: 'The receiver responded with a status other than 2xx.',
} as const

function messageOfStatus(status: number): string {
  return status >= 300 && status < 400 ? messages.redirect : messages.status
}

// The original errors contain IP addresses of the internal network.
function messageOfError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'REFUSED_TARGET') return messages.rejected
  if (code === 'TIMEOUT') return messages.timeout
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return messages.unknown
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code) ? messages.certificate : messages.unreachable
}
