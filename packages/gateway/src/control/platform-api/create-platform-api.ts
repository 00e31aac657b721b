import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  type FastifyServerOptions,
} from 'fastify'
import type { Logger } from 'pino'
import { createUnits, type Units } from '../../access/meter/units.ts'
import type { GuessWatch } from '../../access/authenticate/guessing.ts'
import { isLoopback } from '../../loopback.ts'
import type { Store } from '../store/open-store.ts'
import { loggableError, toPlatformError } from './failure.ts'
import { recordKeyUse } from './key-use-recorder.ts'
import { PlatformError, errorBody } from './platform-error.ts'
import { registerOperations } from './register-operations.ts'
import { newRequestId } from './request-id.ts'
import { requestNotes } from './request-notes.ts'

const bodyLimitBytes = 1024 * 1024

/** Options of {@link createPlatformApi}. */
export interface PlatformApiOptions {
  readonly store: Store
  readonly log: Logger
  /** Address under which clients reach the service; page links begin with it. Default: what the request says. */
  readonly publicUrl?: string | undefined
  /** Refuses plain HTTP from other machines. */
  readonly requireHttps?: boolean | undefined
  /** Whose word about the client's address and protocol counts, in the form Fastify takes. Default: nobody's. */
  readonly trustProxy?: FastifyServerOptions['trustProxy'] | undefined
  /** What a call of a node costs. Default: one unit each. */
  readonly units?: Units | undefined
  /** Slows down those who try keys out. */
  readonly guesses?: GuessWatch | undefined
  /** Makes the HTTP server, for a caller that answers some requests before this application sees them. */
  readonly serverFactory?: FastifyServerFactory | undefined
}

/** Builds the platform API as a Fastify application; the caller listens, or injects requests. */
export async function createPlatformApi(options: PlatformApiOptions): Promise<FastifyInstance> {
  const { store, log, units = createUnits('flat') } = options
  const keyUse = recordKeyUse(store.db, log)
  const app = fastify({
    // Its own log lines contain the URL with the query; the one below does not.
    logger: false,
    genReqId: () => newRequestId(),
    requestIdHeader: false,
    bodyLimit: bodyLimitBytes,
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    trustProxy: options.trustProxy ?? false,
    // A request that arrives while the service stops is still answered, in the shape of all other answers.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
    // Requests that no route sees, such as one with a broken escape in its path, end here and pass no hook.
    frameworkErrors: (error, request, reply) => {
      const failure = toPlatformError(error)
      const answer: FastifyReply = reply
      void answer.headers({ ...commonHeaders(request), ...failure.headers })
      void answer.code(failure.status).send(errorBody(failure, request.id))
      logRequest(log, request, failure.status, reply.elapsedTime)
    },
    ...(options.serverFactory !== undefined && { serverFactory: options.serverFactory }),
  })
  app.removeContentTypeParser('text/plain')

  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(commonHeaders(request))
    if (options.requireHttps === true && request.protocol !== 'https' && !isLoopback(request.ip)) {
      throw new PlatformError('https_required')
    }
    // Thrown here, or a body sent to an unknown path would be read and judged first.
    if (request.is404) throw new PlatformError('not_found')
  })
  app.addHook('onResponse', async (request, reply) => {
    logRequest(log, request, reply.statusCode, reply.elapsedTime)
    const { key } = requestNotes(request)
    if (key !== undefined) keyUse.note(key.id)
  })
  app.addHook('onClose', () => keyUse.settled())
  app.setNotFoundHandler(() => {
    throw new PlatformError('not_found')
  })
  app.setErrorHandler((error, request, reply) => {
    const failure = toPlatformError(error)
    if (failure.status >= 500) {
      log.error({ request_id: request.id, error: loggableError(failure.cause ?? error) }, 'request failed')
    }
    return reply.code(failure.status).headers(failure.headers).send(errorBody(failure, request.id))
  })

  registerOperations(app, { db: store.db, publicUrl: options.publicUrl, guesses: options.guesses, units })
  await app.ready()
  return app
}

function commonHeaders(request: FastifyRequest): Record<string, string> {
  return {
    'x-request-id': request.id,
    'cache-control': 'no-store',
    // An answer is data: no browser is to run, show or guess anything of it.
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    ...(request.protocol === 'https' && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

// The path is left out: a node token sent here by mistake would stand in it.
function logRequest(log: Logger, request: FastifyRequest, status: number, elapsedMs: number): void {
  const { operationId, key } = requestNotes(request)
  log.info(
    {
      request_id: request.id,
      operation_id: operationId ?? null,
      status,
      duration_ms: Math.round(elapsedMs * 1000) / 1000,
      key: key?.prefix ?? null,
    },
    'platform request',
  )
}
