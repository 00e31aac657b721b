import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  type FastifyServerOptions,
} from 'fastify'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { acceptedEncodings, decodedBody, encodingOf } from '@fairlead/gateway-core/http/body-encoding'
import { createUnits, type Units } from '@fairlead/gateway-core/usage/units'
import type { FailedAttemptLimiter } from '@fairlead/gateway-core/authentication/failed-attempts'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import { isLoopback } from '@fairlead/gateway-core/http/loopback'
import { createLookupLimit } from '../identity/lookup-limit.ts'
import type { NodeService } from '../endpoints/dependencies.ts'
import { type OidcOptions, createOidcSignIn } from '../sessions/oidc.ts'
import { type Passwords, createPasswords } from '../sessions/passwords.ts'
import { createSignInThrottle } from '../sessions/sign-in-throttle.ts'
import type { Store } from '../store/open-store.ts'
import { loggableError } from '@fairlead/gateway-core/telemetry/loggable-error'
import { toPlatformError } from './failure.ts'
import { recordUse } from './use-recorder.ts'
import { PlatformError, errorBody } from './platform-error.ts'
import type { WebhookSending } from './operation-context.ts'
import { type RateLimits, createRateLimits } from './rate-limits.ts'
import { registerOperations } from './register-operations.ts'
import { newRequestId } from './request-id.ts'
import { createRequestLog } from './request-log.ts'
import { requestNotes } from './request-notes.ts'

const bodyLimitBytes = 1024 * 1024
// Status in the log of a request whose client left in the middle of its body.
const clientGone = 499

/** Options of {@link createPlatformApi}. */
export interface PlatformApiOptions {
  readonly store: Store
  readonly log: Logger
  /** The protocols that nodes can have. */
  readonly protocols: readonly ProtocolDescription[]
  /** Address under which clients reach the service; page links begin with it. Default: what the request says. */
  readonly publicUrl?: string | undefined
  /** Refuses plain HTTP from other machines. */
  readonly requireHttps?: boolean | undefined
  /** Whose word about the client's address and protocol counts, in the form Fastify takes. Default: nobody's. */
  readonly trustProxy?: FastifyServerOptions['trustProxy'] | undefined
  /** What a call of a node costs. Default: one unit each. */
  readonly units?: Units | undefined
  /** What the operations on nodes need to know. */
  readonly nodes?: NodeService | undefined
  /** Slows down those who try keys out. */
  readonly failedAttempts?: FailedAttemptLimiter | undefined
  /** The OpenID Connect provider that people may sign in through. Default: none. */
  readonly oidc?: OidcOptions | undefined
  /** Counts the requests of each caller. Default: by the contract's limits. */
  readonly limits?: RateLimits | undefined
  /** Hashes and checks passwords. */
  readonly passwords?: Passwords | undefined
  /** How webhooks are sent to. Default: to public addresses only, and only when they are tested. */
  readonly webhooks?: WebhookSending | undefined
  /** Makes the HTTP server, for a caller that answers some requests before this application sees them. */
  readonly serverFactory?: FastifyServerFactory | undefined
  /** Answers what the HTTP parser rejects. */
  readonly clientErrorHandler?: ((error: NodeJS.ErrnoException, socket: Socket) => void) | undefined
}

/** Builds the platform API as a Fastify application; the caller listens, or injects requests. */
export async function createPlatformApi(options: PlatformApiOptions): Promise<FastifyInstance> {
  const { store, log, units = createUnits('flat', {}) } = options
  const uses = recordUse(store.db, log)
  const logRequest = createRequestLog(log)
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
      logRequest(request, failure.status, reply.elapsedTime)
    },
    ...(options.clientErrorHandler !== undefined && { clientErrorHandler: options.clientErrorHandler }),
    ...(options.serverFactory !== undefined && { serverFactory: options.serverFactory }),
  })
  app.removeContentTypeParser('text/plain')
  readBodies(app)

  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(commonHeaders(request))
    if (options.requireHttps === true && request.protocol !== 'https' && !isLoopback(request.ip)) {
      throw new PlatformError('https_required')
    }
    // Thrown here, or a body sent to an unknown path would be read and judged first.
    if (request.is404) throw new PlatformError('not_found')
  })
  app.addHook('onResponse', async (request, reply) => {
    logRequest(request, reply.statusCode, reply.elapsedTime)
    const { identity } = requestNotes(request)
    if (identity !== undefined) uses.note({ identity, ip: request.ip })
  })
  app.addHook('onClose', () => uses.settled())
  app.setNotFoundHandler(() => {
    throw new PlatformError('not_found')
  })
  app.setErrorHandler((error, request, reply) => {
    if (request.raw.destroyed && !request.raw.complete) {
      logRequest(request, clientGone, reply.elapsedTime)
      return reply.hijack()
    }
    const failure = toPlatformError(error)
    if (failure.status >= 500) {
      log.error({ request_id: request.id, error: loggableError(failure.cause ?? error) }, 'request failed')
    }
    return reply.code(failure.status).headers(failure.headers).send(errorBody(failure, request.id))
  })

  const { publicUrl, failedAttempts, nodes = {} } = options
  const { db, encryptor, withSession } = store
  const webhooks = options.webhooks ?? { send: { isPrivateAllowed: false }, wake: () => undefined }
  registerOperations(app, {
    db,
    encryptor,
    log,
    publicUrl,
    failedAttempts,
    lookups: createLookupLimit(),
    nodes,
    protocols: options.protocols,
    units,
    withSession,
    webhooks,
    passwords: options.passwords ?? createPasswords(),
    signInThrottle: createSignInThrottle(),
    limits: options.limits ?? createRateLimits(),
    oidc: options.oidc && createOidcSignIn(options.oidc, encryptor),
  })
  await app.ready()
  return app
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Takes JSON in UTF-8, compressed or not; the limit of a body holds for what is decoded. */
function readBodies(app: FastifyInstance): void {
  app.addHook('preParsing', async (request, reply, body) => {
    const encoding = encodingOf(request.headers['content-encoding'])
    if (encoding === 'identity') return body
    if (encoding === undefined) {
      void reply.header('accept-encoding', acceptedEncodings)
      throw new PlatformError('unsupported_media_type')
    }
    // The length is that of the compressed body.
    delete request.headers['content-length']
    const decoded = decodedBody(body, encoding)
    return Object.assign(decoded, { receivedEncodedLength: 0 })
  })
  const parseJson = app.getDefaultJsonParser('remove', 'remove')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    let text: string
    try {
      text = decoder.decode(bytes as Buffer)
    } catch {
      done(new PlatformError('parse_error'))
      return
    }
    void parseJson(request, text, done)
  })
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
