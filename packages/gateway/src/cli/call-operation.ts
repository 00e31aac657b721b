import { parseJson } from '@fairlead/gateway-core/json'
import { createRestFetch, FairleadError, redact, type Route } from '@fairlead/core'
import { routes } from '@fairlead/platform-client/contract'
import { CommandFailure, exitCodeOf, exitCodes } from './exit-codes.ts'
import type { Connection } from './profiles.ts'

/** Name of an operation of the platform API. */
export type OperationId = keyof typeof routes

/** Input of an operation. Names are as on the wire. */
export interface OperationInput {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Entity tag of the version to change. */
  readonly ifMatch?: string | undefined
}

/** Response of an operation. */
export interface OperationResult {
  /** Parsed when it is JSON, otherwise the text; undefined without a body. */
  readonly body: unknown
  readonly etag: string | null
}

const timeoutMs = 30_000

/**
 * Calls one operation of the platform API.
 *
 * @throws CommandFailure with the gateway's message and the invalid fields, for any response other than 2xx
 */
export async function callOperation(
  { url, key }: Connection,
  id: OperationId,
  input: OperationInput = {},
): Promise<OperationResult> {
  const route: Route = routes[id]
  const send = createRestFetch({ timeoutMs }, [key])
  const headers = new Headers({ authorization: `Bearer ${key}`, accept: 'application/json, */*;q=0.5' })
  if (input.ifMatch !== undefined) headers.set('if-match', input.ifMatch)
  if (input.body !== undefined) headers.set('content-type', 'application/json')
  const request = new Request(addressOf(url, route, input), {
    method: route.method,
    headers,
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
  })
  const response = await send(request).catch((error: unknown) => {
    throw new CommandFailure(redact(reasonOf(error), [key]), exitCodes.unavailable)
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const body = text === '' ? undefined : isJson ? parsed(text) : text
  if (!response.ok) throw failureOf(response, body, key)
  return { body, etag: response.headers.get('etag') }
}

function addressOf(url: string, route: Route, { path = {}, query = {} }: OperationInput): string {
  const filled = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  )
  const text = new URLSearchParams(query).toString()
  return `${url}${filled}${text === '' ? '' : `?${text}`}`
}

function failureOf(response: Response, body: unknown, key: string): CommandFailure {
  const { error } = (body ?? {}) as { error?: { message?: string; fields?: Record<string, string[]> } }
  const fields = Object.entries(error?.fields ?? {}).map(([name, rules]) => `  ${name}: ${rules.join(' ')}`)
  const requestId = response.headers.get('x-request-id')
  const after = response.headers.get('retry-after')
  const head = `${error?.message ?? 'The response is not from the platform API.'} (${response.status}${
    requestId === null ? '' : `, request ${requestId}`
  }${after === null ? '' : `, retry after ${after} s`})`
  return new CommandFailure(redact([head, ...fields].join('\n'), [key]), exitCodeOf(response.status))
}

function reasonOf(error: unknown): string {
  if (FairleadError.is(error, 'TRANSPORT_TIMEOUT'))
    return `The gateway did not respond within ${timeoutMs} ms.`
  if (FairleadError.is(error, 'TRANSPORT_FAILED'))
    return `The gateway is unreachable: ${error.details.reason}`
  return error instanceof Error ? error.message : 'The gateway is unreachable.'
}

function parsed(text: string): unknown {
  const value = parseJson(text)
  if (value === undefined) throw new CommandFailure('The response of the gateway is not valid JSON.')
  return value
}
