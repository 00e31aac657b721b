import type { ServerResponse } from 'node:http'
import { HttpStatusCode, routes, type Endpoint, type Endpoints } from '@lodestar/api'
import {
  addSszContentTypeParser,
  ApiError,
  createFastifyRoutes,
  type ApplicationMethods,
} from '@lodestar/api/server'
import { fastify, type FastifyInstance, type FastifyReply, type RouteOptions } from 'fastify'
import type { BeaconChain } from '../chain/beacon-chain.ts'
import { toErrorResponse } from './error-response.ts'
import { requireDecimals } from './decimals.ts'
import { requireTopics, streamEvents } from './event-stream.ts'
import { describeForkChoice } from './fork-choice.ts'
import { createAttestingMethods } from './methods/attesting.ts'
import { createProductionMethods } from './methods/block-production.ts'
import { createBlockMethods } from './methods/blocks.ts'
import { createConfigMethods } from './methods/config.ts'
import { createDebugMethods } from './methods/debug.ts'
import { createDutyMethods } from './methods/duties.ts'
import { createLightClientMethods } from './methods/light-client.ts'
import { createNodeMethods } from './methods/node.ts'
import { createPoolMethods } from './methods/pools.ts'
import { createRewardMethods } from './methods/rewards.ts'
import { createStateMethods } from './methods/states.ts'
import { notOffered } from './not-offered.ts'
import { requireFilterLists } from './validator-ids.ts'
import { Refused } from '../chain/refused.ts'

// The largest meaningful body, a block in JSON, takes a tenth of this.
const maxBodyBytes = 8 * 1024 * 1024
// Long enough for every id, so that the server can distinguish a malformed id from an unknown route.
const longestPathParameter = 512

/** Options of the server. */
export interface BeaconApiOptions {
  chain: BeaconChain
  /** Port on 127.0.0.1; 0 lets the system choose. */
  port: number
  /** Version of this package, for `node/version`. */
  version: string
  /** Called with each error that is not reported to a client. */
  onFault: (error: unknown) => void
}

/** A running server of the beacon node API. */
export interface BeaconApiServer {
  readonly port: number
  /** Ends the event streams and closes the server. */
  close(): Promise<void>
}

/**
 * Serves the beacon node API (ethereum/beacon-APIs) of a chain on 127.0.0.1.
 *
 * @param options What to serve and where.
 * @returns The server, already listening.
 * @throws The system error when the port is in use.
 */
export async function serveBeaconApi(options: BeaconApiOptions): Promise<BeaconApiServer> {
  const { chain, onFault } = options
  const server = fastify({
    bodyLimit: maxBodyBytes,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: longestPathParameter },
    // A repeatable parameter arrives as a single value when it is not repeated.
    ajv: { customOptions: { coerceTypes: 'array' } },
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      void reply.code(400).send({ code: 400, message: 'The path of the request is malformed.' })
    },
  })
  addSszContentTypeParser(server)
  // Where a body is optional, an empty one means the same as none, whatever its media type is.
  server.addHook('onRequest', async ({ raw }) => {
    if (raw.headers['content-length'] === '0') delete raw.headers['content-type']
  })
  server.addHook('preValidation', async (request) => {
    requireFilterLists(request.body)
    requireDecimals(request)
  })
  server.setErrorHandler((error, _request, reply) => {
    const { status, body } = toErrorResponse(error)
    if (status === 500) onFault(error)
    // A client that still sends an oversized body would otherwise meet a closed connection instead of the response.
    if (status === 413) reply.removeHeader('connection')
    return reply.code(status).header('content-type', 'application/json').send(body)
  })
  server.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ code: 404, message: 'This node has no such operation.' }),
  )
  addStandardRoutes(server, options)
  addOwnRoutes(server, chain)
  const address = await server.listen({ host: '127.0.0.1', port: options.port })
  return { port: Number(new URL(address).port), close: () => server.close() }
}

/** Adds the operations that the route table of `@lodestar/api` encodes and decodes. */
function addStandardRoutes(server: FastifyInstance, { chain, version }: BeaconApiOptions): void {
  const { config } = chain
  const { produceBlockV3, ...publication } = createProductionMethods(chain)
  addRoutes<Endpoints['beacon']>(server, routes.beacon.getDefinitions(config), {
    ...createStateMethods(chain),
    ...createBlockMethods(chain),
    ...createPoolMethods(chain),
    ...createRewardMethods(chain),
    ...publication,
  })
  addRoutes<Endpoints['validator']>(server, withExactGraffiti(routes.validator.getDefinitions(config)), {
    ...createDutyMethods(chain),
    ...createAttestingMethods(chain),
    produceBlockV3,
  })
  addRoutes<Endpoints['config']>(server, routes.config.getDefinitions(config), createConfigMethods(chain))
  addRoutes<Endpoints['debug']>(server, routes.debug.getDefinitions(config), createDebugMethods(chain))
  addRoutes<Endpoints['node']>(server, routes.node.getDefinitions(config), createNodeMethods(chain, version))
  addRoutes<Endpoints['lightclient']>(
    server,
    routes.lightclient.getDefinitions(config),
    createLightClientMethods(chain),
  )
}

/** Adds the operations that the route table lacks or would truncate. */
function addOwnRoutes(server: FastifyInstance, chain: BeaconChain): void {
  server.get('/eth/v1/debug/fork_choice', async ({ headers }) => {
    requireJsonAccepted(headers.accept)
    return describeForkChoice(chain)
  })
  server.get<{ Querystring: { syncing_status?: string } }>('/eth/v1/node/health', (request, reply) =>
    reply.code(healthStatus(chain, request.query.syncing_status)).send(),
  )
  addEventRoute(server, chain)
  for (const { method, path, reason } of notOffered) {
    server.route({
      method,
      url: path,
      handler: async () => {
        throw new ApiError(HttpStatusCode.NOT_IMPLEMENTED, reason)
      },
    })
  }
}

function addEventRoute(server: FastifyInstance, chain: BeaconChain): void {
  const streams = new Set<ServerResponse>()
  // Without this hook, closing the server would abort the streams instead of ending them.
  server.addHook('preClose', async () => streams.forEach((response) => response.end()))
  server.get<{ Querystring: { topics?: unknown } }>(
    '/eth/v1/events',
    { exposeHeadRoute: false },
    async (request, reply) => {
      const topics = requireTopics(request.query.topics)
      const response = reply.hijack().raw
      streams.add(response)
      await streamEvents(chain, topics, response).finally(() => streams.delete(response))
    },
  )
}

function requireJsonAccepted(accept: string | undefined): void {
  if (accept === undefined || /application\/(json|\*)|\*\/\*/.test(accept)) return
  throw new ApiError(HttpStatusCode.NOT_ACCEPTABLE, 'The fork choice is available as JSON only.')
}

type RouteTable<endpoints extends Record<string, Endpoint>> = Parameters<
  typeof createFastifyRoutes<endpoints>
>[0]

function addRoutes<endpoints extends Record<string, Endpoint>>(
  server: FastifyInstance,
  table: RouteTable<endpoints>,
  methods: Partial<ApplicationMethods<endpoints>>,
): void {
  const routesOfTable = createFastifyRoutes(table, methods as ApplicationMethods<endpoints>)
  for (const operationId of Object.keys(methods)) server.route(routesOfTable[operationId] as RouteOptions)
}

// The table would decode the bytes as text, and bytes that are not valid UTF-8 would be changed.
function withExactGraffiti(table: RouteTable<Endpoints['validator']>): RouteTable<Endpoints['validator']> {
  const { produceBlockV3 } = table
  const { req } = produceBlockV3
  return {
    ...table,
    produceBlockV3: {
      ...produceBlockV3,
      req: {
        ...req,
        parseReq: (request) => {
          const { graffiti: _text, ...rest } = req.parseReq(request)
          const { graffiti } = request.query
          return graffiti === undefined ? rest : { ...rest, graffiti }
        },
      },
    },
  }
}

/**
 * Returns the status code of `GET /eth/v1/node/health`, which reports the health of the beacon node by its status
 * alone.
 *
 * @param chain The chain whose head determines the health.
 * @param syncingStatus Status that the client wants instead of 206, from the query.
 * @returns 200; while the payload of the head has not been executed, 206 or the requested status.
 * @throws Refused when the requested status cannot end a response.
 */
function healthStatus(chain: BeaconChain, syncingStatus: string | undefined): number {
  if (syncingStatus !== undefined && !/^[2-5]\d\d$/.test(syncingStatus)) {
    throw new Refused('syncing_status must be a number from 200 to 599.')
  }
  if (chain.head.validity === 'valid') return HttpStatusCode.OK
  return Number(syncingStatus ?? HttpStatusCode.PARTIAL_CONTENT)
}
