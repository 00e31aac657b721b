import { FairleadError } from './error.ts'
import { createHttpTransport, type HttpOptions } from './http-transport.ts'
import { redact } from './redact.ts'

/** What an OpenAPI client answers with: data on 2xx, else the error body. */
export interface RestResult<data> {
  readonly data?: data
  readonly error?: unknown
  readonly response: Response
}

// What an error message may say about an answer; kept beside it, as the answer's own URL may hold a token.
const calls = new WeakMap<Response, { readonly operation: string; readonly secrets: readonly string[] }>()

/**
 * Makes the `fetch` that a generated OpenAPI client runs on: the shared transport, with bodies read inside the attempt.
 *
 * @param options - `fetch`, `timeoutMs` and `retries`
 * @param secrets - texts that must not reach an error message
 * @returns a function from request to answer; GET and HEAD are retried. It throws what the transport throws
 * @example
 * ```ts
 * createClient<paths>({ baseUrl, fetch: createRestFetch({}, [apiKey]) })
 * ```
 */
export function createRestFetch(
  options: HttpOptions,
  secrets: readonly string[],
): (request: Request) => Promise<Response> {
  const send = createHttpTransport(options, secrets)
  return (request) => {
    const { method, signal } = request
    const operation = redact(`${method} ${new URL(request.url).pathname}`, secrets)
    const idempotent = /GET|HEAD/.test(method)
    return send({ operation, url: request, idempotent, signal }, async (answer) => {
      const response = new Response(answer.body && (await answer.arrayBuffer()), answer)
      calls.set(response, { operation, secrets })
      return response
    })
  }
}

/**
 * Turns the result of an OpenAPI client into its data, or throws.
 *
 * @param call - what `client.GET(...)` and its siblings return
 * @returns the body of a 2xx answer
 * @throws {@link FairleadError} `HTTP_STATUS` for any other status, `DECODE_INVALID` for a body that is not JSON; what
 *   the transport threw passes through
 * @example
 * ```ts
 * const organization = await unwrap(platform.GET('/v1/organization/'))
 * ```
 */
export async function unwrap<data>(call: Promise<RestResult<data>>): Promise<data> {
  const { data, error, response } = await call.catch(rethrow)
  if (response.ok) return data as data
  const { operation, secrets } = calls.get(response) ?? { operation: 'request', secrets: [] }
  const requestId = response.headers.get('x-request-id') ?? undefined
  throw new FairleadError('HTTP_STATUS', {
    operation,
    status: response.status,
    // Cut only afterwards: half a secret would not be recognised.
    detail: redact(detailOf(error), secrets).slice(0, 300),
    requestId,
  })
}

// Parsers quote the body in their message, and the body may hold anything.
function rethrow(reason: unknown): never {
  if (!(reason instanceof SyntaxError)) throw reason
  throw new FairleadError('DECODE_INVALID', { operation: 'request', path: '$', rule: 'must be JSON' })
}

// Platform: { error: { message } }; beacon: { message }; jetton: { error } or { error: { message } }.
function detailOf(body: unknown): string {
  const { error, message } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >
  const text = (error as { message?: unknown } | undefined)?.message ?? error ?? message ?? body
  return typeof text === 'string' ? text : (JSON.stringify(text) ?? '')
}
