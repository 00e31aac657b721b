import { request } from 'node:http'
import { request as requestSecure } from 'node:https'
import { targetOf } from './guarded-agent.ts'
import { guardedConnect, type ConnectionRules } from './guarded-connect.ts'

/** The `fetch` settings that libraries pass; a body must be text. */
interface FetchSettings {
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal | null | undefined
}

const maxBodyBytes = 1_048_576
// RFC 9110: a response with one of these has no body, and `Response` accepts none.
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Creates a `fetch` for short requests whose connections are checked. It follows no redirect, limits a response to 1
 * MiB, and opens a new connection for each request.
 */
export function guardedFetch(
  rules: ConnectionRules,
): (url: string, settings?: FetchSettings) => Promise<Response> {
  return (url, { method = 'GET', headers = {}, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const isSecure = new URL(url).protocol === 'https:'
      const content = body === undefined || body === null ? undefined : textOf(body)
      const sent = (isSecure ? requestSecure : request)(
        url,
        {
          method,
          headers: {
            ...headers,
            ...(content !== undefined && { 'content-length': Buffer.byteLength(content) }),
          },
          createConnection: (options) => guardedConnect(targetOf(options, isSecure), isSecure, rules),
          ...(signal && { signal }),
        },
        (received) => {
          const chunks: Buffer[] = []
          let length = 0
          received.on('data', (chunk: Buffer) => {
            chunks.push(chunk)
            length += chunk.length
            if (length > maxBodyBytes) sent.destroy(new Error('The response is too long.'))
          })
          received.on('error', reject)
          received.on('end', () => {
            const status = received.statusCode ?? 500
            const fields = Object.entries(received.headersDistinct).flatMap(([name, values = []]) =>
              values.map((value): [string, string] => [name, value]),
            )
            const payload = withoutBody.has(status) ? null : Buffer.concat(chunks)
            resolve(new Response(payload, { status, headers: fields }))
          })
        },
      )
      sent.on('error', reject)
      sent.end(content)
    })
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('A body must be text.')
}
