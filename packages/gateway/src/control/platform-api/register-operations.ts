import { METHODS } from 'node:http'
import { routes } from '@fairlead/platform-client/contract'
import type { Route } from '@fairlead/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import type { GuessWatch } from '../../access/authenticate/guessing.ts'
import type { Units } from '../../access/meter/units.ts'
import type { Database } from '../store/database.ts'
import { checkApiKey } from './api-key-check.ts'
import { type OperationValidation, contractCompiler } from './contract-validation.ts'
import { platformHandlers } from './handlers.ts'
import { baseAddress, invalidPage, pageParameter } from './page-links.ts'
import type { Handlers, OperationId } from './platform-call.ts'
import { PlatformError } from './platform-error.ts'
import { requestNotes } from './request-notes.ts'
import type { Violations } from './violations.ts'

/** What the operations need. */
export interface OperationContext {
  readonly db: Kysely<Database>
  readonly publicUrl: string | undefined
  /** What a call of a node costs. */
  readonly units: Units
  readonly guesses: GuessWatch | undefined
}

/** Adds a route for every operation of the contract, and an answer for every method that a path does not have. */
export function registerOperations(app: FastifyInstance, context: OperationContext): void {
  // Methods that the framework does not know would be answered 404 on paths that exist.
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method)
  }
  const validationOf = contractCompiler()
  const handlers = platformHandlers(context.db, context.units)
  const methodsByPath = new Map<string, string[]>()
  for (const id of operationIds()) {
    const route: Route = routes[id]
    registerOperation(app, context, id, handlers, validationOf(id))
    const methods = methodsByPath.get(route.path) ?? []
    methods.push(route.method, ...(route.method === 'GET' ? ['HEAD'] : []))
    methodsByPath.set(route.path, methods)
  }
  for (const [path, methods] of methodsByPath) registerOtherMethods(app, path, [...methods, 'OPTIONS'])
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
  const success = Number(Object.keys(route.responses).find((status) => status.startsWith('2')))
  app.route({
    method: route.method,
    url: routerPath(route.path),
    onRequest: async (request) => {
      const notes = requestNotes(request)
      notes.operationId = id
      notes.key = await checkApiKey(context, request.headers.authorization, request.ip)
    },
    handler: async (request, reply) => {
      const { key } = requestNotes(request)
      if (key === undefined) throw new PlatformError('not_authenticated')
      const path = validation.path(request.params)
      // What no path can hold names nothing.
      if (path.violations) throw new PlatformError('not_found')
      const query = validation.query(queryText(request))
      if (query.violations) throw refusal(query.violations)
      if (route.requestBody?.required === true && request.body === undefined) {
        throw new PlatformError('parse_error')
      }
      const body = validation.body(request.body)
      if (body.violations) throw refusal(body.violations)
      const address = `${baseAddress(context.publicUrl, request)}${filledPath(route.path, request.params)}`
      const links = { address, given: query.given }
      const answer = await handlers[id]({
        key,
        path: path.value,
        query: query.value,
        body: body.value,
        links,
      })
      return reply.code(success).send(answer)
    },
  })
}

function refusal(violations: Violations): PlatformError {
  const { [pageParameter]: page, ...fields } = violations
  // A page that is no number is a page that does not exist, unless the request is wrong in other ways too.
  const isPageOnly = page !== undefined && Object.keys(fields).length === 0
  return isPageOnly ? invalidPage() : new PlatformError('invalid', { fields })
}

function registerOtherMethods(app: FastifyInstance, path: string, allowed: readonly string[]): void {
  const headers = { allow: allowed.join(', ') }
  const url = routerPath(path)
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    // Answered before a body is read, whatever it is.
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
  throw new Error('This request was answered before.')
}

// `/v2/projects/{id}/` of the contract is `/v2/projects/:id/` for the router.
function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

// The reverse for one request: `/v2/projects/PR-1/`.
function filledPath(path: string, parameters: unknown): string {
  const values = parameters as Readonly<Record<string, string>>
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
}

function queryText(request: FastifyRequest): string {
  const { url = '' } = request.raw
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}
