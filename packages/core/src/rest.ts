import { FairleadError } from './error.ts'
import { createHttpTransport, type HttpOptions } from './http-transport.ts'
import { redact } from './redact.ts'

/** The result of an OpenAPI client: data on 2xx, else the error body. */
export interface RestResult<data> {
  readonly data?: data
  readonly error?: unknown
  readonly response: Response
}

// What an error message may include about a response. It is stored separately, because the URL of the response may
// contain a token.
const calls = new WeakMap<Response, { readonly operation: string; readonly secrets: readonly string[] }>()

/**
 * Creates the `fetch` of a generated OpenAPI client: the shared transport, which reads the body as part of the attempt.
 *
 * @param options - `fetch`, `timeoutMs` and `retries`
 * @param secrets - texts that must not appear in an error message
 * @returns a function from request to response; GET and HEAD are retried. It throws the errors of the transport
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
 * Returns the data of an OpenAPI client result, or throws.
 *
 * @param call - the promise of `client.GET(...)` or another method
 * @returns the body of a 2xx response
 * @throws {@link FairleadError} `HTTP_STATUS` for any other status, `DECODE_INVALID` for a body that is not JSON;
 *   errors of the transport are rethrown
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
    // Truncated after redaction: a truncated secret would not be recognized.
    detail: redact(detailOf(error), secrets).slice(0, 300),
    requestId,
  })
}

// Parsers quote the body in their message, and the body may contain secrets.
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
