import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { JettonChain } from '../../chain/jetton-chain.ts'
import { Failure } from '../failure.ts'
import { speakJson } from '../json-scope.ts'
import type { Context, RequestInput } from './operation.ts'
import { operations } from './operations.ts'
import { boolean } from './parameters.ts'

// The indexer reports the version of its database.
const apiVersion = '1.2.6'

/**
 * Serves the v3 API of a chain under `/api/v3`, in the format of ton-indexer.
 *
 * @param app server to add the routes to; its error handler processes unexpected errors
 * @param chain the chain to read
 */
export function registerV3(app: FastifyInstance, chain: JettonChain): void {
  void app.register(
    async (scope) => {
      scope.addHook('onRequest', async (_request, reply) => {
        reply.header('x-api-version', apiVersion)
      })
      speakJson(
        scope,
        (_code, error) => ({ error }),
        (method) => `cannot ${method} this path`,
      )
      for (const path of new Set(operations.map((operation) => operation.path))) addPath(scope, chain, path)
    },
    { prefix: '/api/v3' },
  )
}

function addPath(scope: FastifyInstance, chain: JettonChain, path: string): void {
  const sharing = operations.filter((operation) => operation.path === path)
  const find = (request: FastifyRequest) => sharing.find(({ method }) => method === request.method)
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    if (find(request) !== undefined) return
    reply.header('allow', sharing.map(({ method }) => method).join(', '))
    throw new Failure(405, 'Method Not Allowed')
  }
  scope.all(`/${path}`, { onRequest }, async (request, reply) => {
    const query = readQuery(request)
    const body = await find(request)?.handle(contextOf(chain, request, query), {
      query,
      body: request.body,
    })
    // An empty list at the top level is the JSON null, which the server would treat as no body.
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
  })
}

function readQuery(request: FastifyRequest): RequestInput['query'] {
  const parameters = request.query as Readonly<Record<string, string | readonly string[]>>
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [value].flat()]))
}

function contextOf(chain: JettonChain, { headers }: FastifyRequest, query: RequestInput['query']): Context {
  // Each setting of a request is a header, or a query parameter with the same name in snake case.
  const isSet = (name: string) => {
    const header = headers[name]
    const parameter = name.replace(/^x-/, '').replaceAll('-', '_')
    return boolean(typeof header === 'string' ? [header] : (query[parameter] ?? []), parameter) === true
  }
  return {
    chain,
    withAddressBook: !isSet('x-no-address-book'),
    withMetadata: !isSet('x-no-metadata'),
  }
}
