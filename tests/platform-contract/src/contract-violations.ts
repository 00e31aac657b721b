import { document, routes, schemas } from '@fairlead/platform-client/contract'
import type { Route } from '@fairlead/core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import type { WireResponse } from './http-exchange.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema({ $id: document, components: { schemas } })

/** Every operation by its id. */
export const routeTable: Readonly<Record<OperationId, Route>> = routes

/** The ids of all operations. */
export const operationIds: readonly OperationId[] = Object.keys(routes).filter((id): id is OperationId =>
  Object.hasOwn(routes, id),
)

// Headers that are specific to a response. Headers that every response must have are always checked.
const checkedHeaders = ['ETag', 'Location', 'Set-Cookie', 'Retry-After', 'WWW-Authenticate', 'Allow']

// Headers that the document declares as optional.
const isOptional = (id: OperationId, status: number, name: string) =>
  (name === 'Set-Cookie' && id === 'finishOidcSignIn') || (name === 'WWW-Authenticate' && status === 403)

const always: Readonly<Record<string, RegExp>> = {
  'x-request-id': /^[0-9A-HJKMNP-TV-Z]{26}$/,
  'cache-control': /^no-store$/,
  'x-content-type-options': /^nosniff$/,
  'content-security-policy': /frame-ancestors 'none'/,
}

const formOf: Readonly<Record<string, RegExp>> = {
  ETag: /^"\d+"$/,
  Location: /^https?:\/\/[^\s]+$/,
  'Set-Cookie': /^(__Host-)?fairlead_(session|sign_in)=[^;]*; Path=\/; HttpOnly; SameSite=(Strict|Lax)/,
  'Retry-After': /^([1-9]|[1-5]\d|60)$/,
  'WWW-Authenticate': /^Bearer realm="platform"/,
}

/**
 * Returns the contract violations of a response. Empty if there are none.
 *
 * @param id - the requested operation
 */
export function violationsOf(id: OperationId, response: WireResponse): readonly string[] {
  const { status, headers } = response
  const declared = routeTable[id].responses[String(status)]
  if (declared === undefined) return [`${status} is not declared`]
  const present = new Set(declared.headers)
  return [
    ...headerViolations(always, response),
    ...[...present].flatMap((name) => {
      const value = headers[name.toLowerCase()]
      if (value === undefined) return isOptional(id, status, name) ? [] : [`${name} is missing`]
      const form = formOf[name]
      return form === undefined || [value].flat().every((item) => form.test(item))
        ? []
        : [`${name} has another form`]
    }),
    ...checkedHeaders
      .filter((name) => headers[name.toLowerCase()] !== undefined && !present.has(name))
      .map((name) => `${name} is not declared for ${status}`),
    ...bodyViolations(declared, response),
  ]
}

/** Returns the violations of a response that belongs to no operation: 404 and 405. */
export function routingViolationsOf(response: WireResponse): readonly string[] {
  const error = { schema: { $ref: `${document}#/components/schemas/PlatformError` } }
  return [...headerViolations(always, response), ...bodyViolations(error, response)]
}

function headerViolations(forms: Readonly<Record<string, RegExp>>, { headers }: WireResponse): string[] {
  return Object.entries(forms)
    .filter(([name, form]) => !form.test(String(headers[name] ?? '')))
    .map(([name]) => `${name} is missing or has another form`)
}

function bodyViolations(
  { schema, mediaTypes = ['application/json'] }: Route['responses'][string],
  { status, headers, body }: WireResponse,
): string[] {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (schema === undefined && !mediaTypes.includes('text/csv')) {
    return body === '' ? [] : ['there is a body']
  }
  if (!mediaTypes.includes(type)) return [`the body is ${type === '' ? 'of no type' : type}`]
  if (type !== 'application/json') return []
  const value: unknown = JSON.parse(body)
  if (!ajv.validate(schema ?? true, value)) return [ajv.errorsText()]
  if (status < 400) return []
  const { error } = value as { readonly error: { readonly request_id: string } }
  return error.request_id === headers['x-request-id'] ? [] : ['the request ids differ']
}
