import { METHODS } from 'node:http'
import { routes } from '@fairlead/platform-client/contract'
import { parseCookie } from 'cookie'
import type { Route } from '@fairlead/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { memoryOf } from '@fairlead/gateway-core/clients/client-memory'
import { deprecationHeaders } from '@fairlead/gateway-core/http/deprecation-headers'
import type { Identity, Origin } from '../identity/identity.ts'
import { OperationResponse, readIfMatch } from './operation-response.ts'
import { authorize } from './identify.ts'
import { type OperationValidation, validationOf } from './contract-validation.ts'
import { platformHandlers } from './handlers.ts'
import { attributeTick, type Tenant } from '@fairlead/runtime'
import { reserveBody } from './body-memory.ts'
import type { OperationContext } from './operation-context.ts'
import { baseAddress, invalidPage, pageParameter } from './page-links.ts'
import type { Caller, Handlers, OperationId, RequestOrigin } from './platform-call.ts'
import { PlatformError } from './platform-error.ts'
import { requestNotes } from './request-notes.ts'
import type { Violations } from './violations.ts'

// Bodies of unauthenticated requests are limited to the size of a form.
const publicBodyBytes = 16_384
/** Maximum length of the bodies of authenticated requests. */
export const bodyLimitBytes = 1024 * 1024

/** Adds a route for every operation of the contract, and a 405 response for every other method of a path. */
export function registerOperations(app: FastifyInstance, context: OperationContext): void {
  // Without this, methods unknown to Fastify would get a 404 on existing paths.
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method)
  }
  const handlers = platformHandlers(context)
  const bodiless: OperationId[] = []
  const methodsByPath = new Map<string, string[]>()
  for (const id of operationIds()) {
    const route: Route = routes[id]
    if (route.requestBody === undefined) bodiless.push(id)
    else registerOperation(app, context, id, handlers, validationOf(id))
    const methods = methodsByPath.get(route.path) ?? []
    methods.push(route.method, ...(route.method === 'GET' ? ['HEAD'] : []))
    methodsByPath.set(route.path, methods)
  }
  for (const [path, methods] of methodsByPath) registerOtherMethods(app, path, [...methods, 'OPTIONS'])
  void app.register(async (unread) => {
    readNoBodies(unread)
    for (const id of bodiless) registerOperation(unread, context, id, handlers, validationOf(id))
  })
}

// Bodies of operations without a request body are not read: many clients send a Content-Type without a body.
function readNoBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    delete request.headers['content-type']
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, body, parsed) => {
    body.resume()
    parsed(null)
  })
}

function operationIds(): OperationId[] {
  return Object.keys(routes).filter((id): id is OperationId => Object.hasOwn(routes, id))
}

function registerOperation<id extends OperationId>(
  app: FastifyInstance,
  context: OperationContext,
  id: id,
  handlers: Handlers,
  validation: OperationValidation<id>,
): void {
  const route: Route = routes[id]
  const success = Number(Object.keys(route.responses).find((status) => /^[23]/.test(status)))
  app.route({
    method: route.method,
    url: routerPath(route.path),
    ...(route.public === true && { bodyLimit: publicBodyBytes }),
    onRequest: async (request, reply) => {
      void reply.headers(deprecationHeaders(route))
      const notes = requestNotes(request)
      notes.operationId = id
      notes.requestOrigin = requestOriginOf(request, context.publicUrl)
      notes.identity = await authorize(context, route, { request, reply, requestOrigin: notes.requestOrigin })
      const tenant = notes.identity && tenantOf(notes.identity)
      if (tenant) memoryOf(request.raw)?.authenticate(tenant)
      if (route.requestBody === undefined || context.memory === undefined) return
      const maxBytes = route.public === true ? publicBodyBytes : bodyLimitBytes
      reserveBody(context.memory, tenant ?? { address: request.ip }, { request, reply, maxBytes })
    },
    handler: async (request, reply) => {
      attributeTick('platform')
      const { identity, requestOrigin = requestOriginOf(request, context.publicUrl) } = requestNotes(request)
      if (!isCallerOf<id>(route, identity)) throw new PlatformError('not_authenticated')
      const path = validation.path(request.params)
      // A path that violates the contract matches no object.
      if (path.violations) throw new PlatformError('not_found')
      // A precondition that violates the contract matches no version.
      if (validation.headers(request.headers).violations) throw new PlatformError('precondition_failed')
      const query = validation.query(queryText(request))
      if (query.violations) throw rejection(query.violations)
      if (route.requestBody?.required === true && request.body === undefined) {
        throw new PlatformError('parse_error')
      }
      const body = validation.body(request.body)
      if (body.violations) throw rejection(body.violations)
      const address = `${requestOrigin.baseUrl}${filledPath(route.path, request.params)}`
      const links = { address, parameters: query.parameters }
      const result = await handlers[id]({
        identity,
        path: path.value,
        query: query.value,
        body: body.value,
        links,
        ifMatch: readIfMatch(request.headers['if-match']),
        origin: originOf(request),
        requestOrigin,
      })
      if (!(result instanceof OperationResponse)) return reply.code(success).send(result)
      return reply
        .code(result.status ?? success)
        .headers(result.headers)
        .send(result.body)
    },
  })
}

/** The owner of the memory of a request. A key or session belongs to no project. */
function tenantOf({ organizationId, id }: Identity): Tenant {
  return { organizationId, projectId: '', credentialId: id }
}

function isCallerOf<id extends OperationId>(
  route: Route,
  identity: Identity | undefined,
): identity is Caller<id> {
  return route.public === true || identity !== undefined
}

const maxUserAgentLength = 200

function requestOriginOf(request: FastifyRequest, publicUrl: string | undefined): RequestOrigin {
  return {
    baseUrl: baseAddress(publicUrl, request),
    isSecure: request.protocol === 'https',
    cookies: parseCookie(request.headers.cookie ?? ''),
  }
}

function originOf(request: FastifyRequest): Origin {
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, maxUserAgentLength)
  return { ip: request.ip, userAgent, requestId: request.id }
}

function rejection(violations: Violations): PlatformError {
  const { [pageParameter]: page, ...fields } = violations
  // An invalid page number is reported as a page that does not exist, unless the request has other violations.
  const isPageOnly = page !== undefined && Object.keys(fields).length === 0
  return isPageOnly ? invalidPage() : new PlatformError('invalid', { fields })
}

function registerOtherMethods(app: FastifyInstance, path: string, allowed: readonly string[]): void {
  const headers = { allow: allowed.join(', ') }
  const url = routerPath(path)
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    // Rejected before any body is read.
    onRequest: async () => {
      throw new PlatformError('method_not_allowed', { headers })
    },
    handler: unreachable,
  })
  app.route({
    method: 'OPTIONS',
    url,
    onRequest: async (_, reply) => reply.code(204).headers(headers).send(),
    handler: unreachable,
  })
}

function unreachable(): never {
  throw new Error('onRequest has already responded.')
}

// Converts `/v2/projects/{id}/` of the contract to `/v2/projects/:id/` for the router.
function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

// Fills in the values of one request: `/v2/projects/PR-1/`.
function filledPath(path: string, parameters: unknown): string {
  const values = parameters as Readonly<Record<string, string>>
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
}

function queryText(request: FastifyRequest): string {
  const { url = '' } = request.raw
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}
