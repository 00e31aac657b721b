import { METHODS } from 'node:http'
import { Writable } from 'node:stream'
import { document, routes, schemas } from '@fairlead/platform-client/contract'
import type { Route, RouteResponse } from '@fairlead/core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { type FirstStart, ensureFirstStart } from '../first-start/first-start.ts'
import { type PlatformApiOptions, createPlatformApi } from '../platform-api/create-platform-api.ts'
import { defaultOrganizationLimits } from '../records/organization-limits.ts'
import type { Store } from '../store/open-store.ts'
import type { TemporaryDatabase } from './temporary-store.ts'
import { protocols } from './protocols.ts'

/** A test request with any HTTP method. */
export type TestRequest = Omit<InjectOptions, 'method'> & { readonly method?: string }

/** A platform API over a fresh database, for tests. */
export interface PlatformFixture {
  readonly store: Store
  readonly app: FastifyInstance
  readonly first: Extract<FirstStart, { created: true }>
  /** Sends a request with the first API key and checks the response against the contract. */
  call(url: string, options?: TestRequest): Promise<LightMyRequestResponse>
  /** Sends a request without any credential and checks the response against the contract. */
  anonymous(url: string, options?: TestRequest): Promise<LightMyRequestResponse>
  /** Everything logged so far. */
  log(): string
}

/** Starts the platform API over a temporary database. */
export async function platformFixture(
  database: TemporaryDatabase,
  options: Partial<PlatformApiOptions> = {},
): Promise<PlatformFixture> {
  const store = await database.open()
  const first = await ensureFirstStart(store, { protocols, upstreams: { evm: 'devnet' } })
  if (!first.created) throw new Error('The database was not empty.')
  let logged = ''
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      logged += chunk.toString()
      done()
    },
  })
  // Tests issue credentials faster than an organization may by default.
  const organizationLimits = { ...defaultOrganizationLimits, maxNewCredentialsPerMinute: 1_000_000 }
  const log = pino({ level: 'trace' }, stream)
  const app = await createPlatformApi({ store, protocols, log, organizationLimits, ...options })
  const anonymous = async (url: string, { method = 'GET', ...request }: TestRequest = {}) => {
    if (!isMethod(method)) throw new Error('HTTP has no such method.')
    const response = await app.inject({ url, ...request, method })
    assertContract(method, url, response)
    return response
  }
  return {
    store,
    app,
    first,
    anonymous,
    call: (url, request = {}) =>
      anonymous(url, {
        ...request,
        headers: { authorization: `Bearer ${first.apiKey}`, ...request.headers },
      }),
    log: () => logged,
  }
}

function isMethod(method: string): method is NonNullable<InjectOptions['method']> {
  return METHODS.includes(method)
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema({ $id: document, components: { schemas } })

/** Asserts that the contract allows the response for the operation. */
export function assertContract(method: string, url: string, response: LightMyRequestResponse): void {
  const { statusCode: status, headers, body } = response
  if (typeof headers['x-request-id'] !== 'string') throw new Error('There is no X-Request-Id.')
  if (headers['cache-control'] !== 'no-store') throw new Error('The answer may be cached.')
  const isRedirect = status === 302 && declaredResponse(method, url, status) !== undefined
  if (status === 204 || isRedirect || method === 'HEAD') {
    if (body !== '') throw new Error('The answer has a body.')
    return
  }
  const [mediaType = ''] = String(headers['content-type']).split(';')
  if (declaredResponse(method, url, status)?.mediaTypes?.includes(mediaType)) return
  const schema = responseSchema(method, url, status)
  if (!ajv.validate(schema, response.json())) throw new Error(`${status}: ${ajv.errorsText()}: ${body}`)
  if (status < 400) return
  const { error } = response.json<{ error: { request_id: string } }>()
  if (error.request_id !== headers['x-request-id']) throw new Error('The request ids differ.')
}

function isPath(template: string, path: string): boolean {
  const parts = template.split('/')
  const segments = path.split('/')
  return (
    parts.length === segments.length &&
    parts.every((part, at) => part === segments[at] || part.startsWith('{'))
  )
}

function declaredResponse(method: string, url: string, status: number): RouteResponse | undefined {
  return routeOf(method, url)?.responses[String(status)]
}

function routeOf(method: string, url: string): Route | undefined {
  const path = `${(url.split('?')[0] ?? '').replace(/\/$/, '')}/`
  return Object.values<Route>(routes).find((route) => isPath(route.path, path) && route.method === method)
}

function responseSchema(method: string, url: string, status: number): object {
  const route = routeOf(method, url)
  const declared = route?.responses[String(status)]?.schema
  if (declared !== undefined) return declared
  // Statuses outside of operations: an unknown path or method, or a malformed request.
  const outside = route === undefined ? [404, 405] : []
  if (!outside.includes(status)) throw new Error(`The contract has no ${status} for ${method} ${url}.`)
  return { $ref: `${document}#/components/schemas/PlatformError` }
}
