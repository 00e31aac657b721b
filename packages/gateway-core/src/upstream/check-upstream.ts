import type { UpstreamRecord } from '../grants/parse-upstreams.ts'
import { upstreamFields } from '../network/upstream-fields.ts'
import { authorizationOf } from './upstream-url.ts'

/** An upstream responded with an unsuccessful HTTP status. */
export class RejectedCheck extends Error {
  readonly status: number

  constructor(status: number) {
    super(`status ${status}`)
    this.status = status
  }
}

/** An upstream sent a response that is not valid in its protocol. */
export class UnexpectedCheck extends Error {}

/** A request of a check. */
export interface CheckRequest {
  /** Path that is appended to the path of the upstream's URL. */
  readonly path?: string
  /** Sent as JSON by POST; GET when omitted. */
  readonly body?: unknown
  /** Value of the `Authorization` header, instead of the one from the credentials in the URL. */
  readonly authorization?: string | undefined
}

/**
 * Reads a JSON response of an upstream.
 *
 * @throws {@link RejectedCheck}, a SyntaxError, or an error of the connection
 */
export async function fetchCheck(
  upstream: UpstreamRecord,
  timeoutMs: number,
  request: CheckRequest,
): Promise<unknown> {
  const { url, headers } = checkTarget(upstream, request)
  const { body } = request
  const response = await fetch(url, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { ...headers, 'content-type': 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) throw new RejectedCheck(response.status)
  return response.json()
}

/** Splits credentials from a URL: `fetch` accepts no credentials in a URL, and would quote them in errors. */
export function checkTarget(
  { address }: UpstreamRecord,
  { path = '', authorization }: CheckRequest = {},
): { readonly url: string; readonly headers: Record<string, string> } {
  const url = new URL(address)
  const headers = upstreamFields({ authorization: authorization ?? authorizationOf(url) })
  url.username = ''
  url.password = ''
  if (path !== '') url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`
  return { url: url.href, headers }
}
