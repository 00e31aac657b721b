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

// The largest body that makes sense here, a block in JSON, takes a tenth of it.
const mostBodyBytes = 8 * 1024 * 1024
// Long enough for every id, so that a malformed one is told from an unknown route.
const longestPathParameter = 512

/** How to serve a chain. */
export interface BeaconApiOptions {
  chain: BeaconChain
  /** Port on 127.0.0.1; 0 lets the system choose. */
  port: number
  /** Version of this package, for `node/version`. */
  version: string
  /** Hears errors that no client was told about. */
  onFault: (error: unknown) => void
}

/** A running server of the beacon node interface. */
export interface BeaconApiServer {
  readonly port: number
  /** Ends the streams and the server. */
  close(): Promise<void>
}

/**
 * Serves a chain by the beacon node interface (ethereum/beacon-APIs) on 127.0.0.1.
 *
 * @param options What to serve and where.
 * @returns The server, already listening.
 * @throws The error of the system when the port is taken.
 */
export async function serveBeaconApi(options: BeaconApiOptions): Promise<BeaconApiServer> {
  const { chain, onFault } = options
  const server = fastify({
    bodyLimit: mostBodyBytes,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: longestPathParameter },
    // A parameter that may be repeated comes as a single value when it is not.
    ajv: { customOptions: { coerceTypes: 'array' } },
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      void reply.code(400).send({ code: 400, message: 'The path of the request is malformed.' })
    },
  })
  addSszContentTypeParser(server)
  // Where a body is optional, an empty one means the same as none, whatever its media type claims.
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
    // Whoever still sends an oversize body would meet a closed connection in place of the answer.
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

/** The operations whose coding comes from the route table of `@lodestar/api`. */
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

/** The operations that the route table lacks or would cut short. */
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
  // Without it the streams would be cut off in place of ended.
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
  throw new ApiError(HttpStatusCode.NOT_ACCEPTABLE, 'The fork choice is told as JSON only.')
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

// The table would turn the bytes into text, and what is no UTF-8 would not come out as it went in.
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
 * Tells the health of the node as `GET /eth/v1/node/health` does, in the status alone.
 *
 * @param chain The chain whose head tells how the node fares.
 * @param syncingStatus Status that the client wants in place of 206, from the query.
 * @returns 200; while the head rests on a payload that has not been executed, 206 or the wanted status.
 * @throws Refused when the wanted status is none that can end a response.
 */
function healthStatus(chain: BeaconChain, syncingStatus: string | undefined): number {
  if (syncingStatus !== undefined && !/^[2-5]\d\d$/.test(syncingStatus)) {
    throw new Refused('syncing_status must be a number from 200 to 599.')
  }
  if (chain.head.validity === 'valid') return HttpStatusCode.OK
  return Number(syncingStatus ?? HttpStatusCode.PARTIAL_CONTENT)
}
