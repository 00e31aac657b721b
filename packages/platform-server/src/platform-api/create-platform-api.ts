import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
} from 'fastify'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { acceptedEncodings, decodedBody, encodingOf } from '@fairlead/gateway-core/http/body-encoding'
import { createUnits, type Units } from '@fairlead/gateway-core/usage/units'
import type { FailedAttemptLimiter } from '@fairlead/gateway-core/authentication/failed-attempts'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import { isLoopback } from '@fairlead/gateway-core/http/loopback'
import { recordFailure, recordSuccess } from '@fairlead/gateway-core/clients/connection-failures'
import { requestIdField } from '@fairlead/gateway-core/http/response-fields'
import type { HttpResponse } from '@fairlead/gateway-core/http/types'
import { createLookupLimit } from '../identity/lookup-limit.ts'
import type { NodeDependencies } from '../endpoints/dependencies.ts'
import { type OidcOptions, createOidcSignIn } from '../sessions/oidc.ts'
import { type Passwords, createPasswords } from '../sessions/passwords.ts'
import { attributeTick } from '@fairlead/runtime'
import { createSignInThrottle } from '../sessions/sign-in-throttle.ts'
import { type OrganizationLimits, defaultOrganizationLimits } from '../records/organization-limits.ts'
import type { Store } from '../store/open-store.ts'
import { loggableError } from '@fairlead/gateway-core/telemetry/loggable-error'
import { exceedsDepth } from '@fairlead/gateway-core/json-depth'
import { toPlatformError } from './failure.ts'
import { createUseRecorder } from './use-recorder.ts'
import { PlatformError, errorBody } from './platform-error.ts'
import type { OperationContext, WebhookSending } from './operation-context.ts'
import { type RateLimits, createRateLimits } from './rate-limits.ts'
import { bodyLimitBytes, registerOperations } from './register-operations.ts'
import { newRequestId } from './request-id.ts'
import { createRequestLog } from './request-log.ts'
import { requestNotes } from './request-notes.ts'
import { fieldOf } from './violations.ts'

// Maximum number of levels in a JSON body. The contract has three; unknown members may have more.
const maxBodyDepth = 64
// Status in the log for a request whose client disconnected before the body was complete.
const clientClosedRequest = 499
const firstError = 400

/** Options of {@link createPlatformApi}. */
export interface PlatformApiOptions {
  readonly store: Store
  readonly log: Logger
  /** Reserves memory for request bodies; unlimited when omitted. */
  readonly memory?: OperationContext['memory']
  /** The protocols that nodes can have. */
  readonly protocols: readonly ProtocolDescription[]
  /** URL under which clients reach the gateway; page links start with it. Default: derived from the request. */
  readonly publicUrl?: string | undefined
  /** Rejects plain HTTP from other machines. */
  readonly requireHttps?: boolean | undefined
  /** Which proxies to trust for the client's IP address and protocol, as in Fastify's option. Default: none. */
  readonly trustProxy?: string | ((address: string) => boolean) | undefined
  /** Cost of a call to a node. Default: one unit each. */
  readonly units?: Units | undefined
  /** Dependencies of the operations on nodes. */
  readonly nodes?: NodeDependencies | undefined
  /** Throttles clients that guess API keys. */
  readonly failedAttempts?: FailedAttemptLimiter | undefined
  /** The OpenID Connect provider that users may sign in through. Default: none. */
  readonly oidc?: OidcOptions | undefined
  /** Counts the requests of each caller. Default: the limits of the contract. */
  readonly limits?: RateLimits | undefined
  /** Limits of each organization; changes of this object apply to later requests. Default: {@link defaultOrganizationLimits}. */
  readonly organizationLimits?: OrganizationLimits | undefined
  /** Hashes and checks passwords. */
  readonly passwords?: Passwords | undefined
  /** How webhook requests are sent. Default: to public IP addresses only, and only for tests of a webhook. */
  readonly webhooks?: WebhookSending | undefined
  /** Creates the HTTP server, for a caller that responds to some requests before this application receives them. */
  readonly serverFactory?: FastifyServerFactory | undefined
  /** Responds to requests that the HTTP parser rejects. */
  readonly clientErrorHandler?: ((error: NodeJS.ErrnoException, socket: Socket) => void) | undefined
}

/** Creates the platform API as a Fastify application; the caller starts listening or injects requests. */
export async function createPlatformApi(options: PlatformApiOptions): Promise<FastifyInstance> {
  const { store, log, units = createUnits('flat', {}) } = options
  const uses = createUseRecorder(store.db, log)
  const logRequest = createRequestLog(log)
  const app = fastify({
    // Fastify's log lines contain the URL with the query string; those of `logRequest` do not.
    logger: false,
    genReqId: () => newRequestId(),
    requestIdHeader: false,
    bodyLimit: bodyLimitBytes,
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    trustProxy: options.trustProxy ?? false,
    // A request that arrives during shutdown still gets a response, in the same format as all others.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
    // Requests that match no route because of an invalid path, such as one with a broken escape, end here and run no
    // hook.
    frameworkErrors: (error, request, reply) => {
      const failure = toPlatformError(error)
      const response: FastifyReply = reply
      void response.headers({ ...commonHeaders(request), ...failure.headers })
      void response.code(failure.status).send(errorBody(failure, request.id))
      logRequest(request, failure.status, reply.elapsedTime)
    },
    ...(options.clientErrorHandler !== undefined && { clientErrorHandler: options.clientErrorHandler }),
    ...(options.serverFactory !== undefined && { serverFactory: options.serverFactory }),
  })
  app.removeContentTypeParser('text/plain')
  readBodies(app)

  app.addHook('onRequest', async (request, reply) => {
    // A connection that has closed has no address, and receives no response.
    if (request.raw.socket.destroyed) throw new PlatformError('unavailable')
    void reply.headers(commonHeaders(request))
    if (options.requireHttps === true && request.protocol !== 'https' && !isLoopback(request.ip)) {
      throw new PlatformError('https_required')
    }
    // Thrown here, because otherwise a body sent to an unknown path would be read and validated first.
    if (request.is404) throw new PlatformError('not_found')
  })
  app.addHook('onResponse', async (request, reply) => {
    if (reply.statusCode < firstError) recordSuccess(request.raw)
    logRequest(request, reply.statusCode, reply.elapsedTime)
    const { identity } = requestNotes(request)
    if (identity !== undefined) uses.record({ identity, ip: request.ip })
  })
  app.addHook('onClose', () => uses.settled())
  app.setNotFoundHandler(() => {
    throw new PlatformError('not_found')
  })
  app.setErrorHandler((error, request, reply) => {
    if (request.raw.destroyed && !request.raw.complete) {
      logRequest(request, clientClosedRequest, reply.elapsedTime)
      return reply.hijack()
    }
    const failure = toPlatformError(error)
    // A refusal for lack of memory is no fault, and must not fill the log.
    const isFault = failure.status === 500 || (failure.status > 500 && failure.cause !== undefined)
    if (isFault) {
      log.error({ request_id: request.id, error: loggableError(failure.cause ?? error) }, 'request failed')
    }
    const response = reply.raw as ServerResponse & Partial<Pick<HttpResponse, 'closeConnection'>>
    if (recordFailure(request.raw, failure.status)) response.closeConnection?.()
    return reply.code(failure.status).headers(failure.headers).send(errorBody(failure, request.id))
  })

  const { publicUrl, failedAttempts, nodes = {} } = options
  const { db, encryptor, withSession } = store
  const webhooks = options.webhooks ?? { send: { isPrivateAllowed: false }, wake: () => undefined }
  registerOperations(app, {
    db,
    encryptor,
    log,
    memory: options.memory,
    publicUrl,
    failedAttempts,
    lookups: createLookupLimit(),
    nodes,
    protocols: options.protocols,
    units,
    withSession,
    webhooks,
    organizationLimits: options.organizationLimits ?? defaultOrganizationLimits,
    passwords: options.passwords ?? createPasswords(),
    signInThrottle: createSignInThrottle(),
    limits: options.limits ?? createRateLimits(),
    oidc: options.oidc && createOidcSignIn(options.oidc, encryptor),
  })
  await app.ready()
  return app
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Accepts JSON in UTF-8, compressed or not; the body limit applies to the decoded size. */
function readBodies(app: FastifyInstance): void {
  app.addHook('preParsing', async (request, reply, body) => {
    const encoding = encodingOf(request.headers['content-encoding'])
    if (encoding === 'identity') return body
    if (encoding === undefined) {
      void reply.header('accept-encoding', acceptedEncodings)
      throw new PlatformError('unsupported_media_type')
    }
    // The header contains the length of the compressed body.
    delete request.headers['content-length']
    const decoded = decodedBody(body, encoding)
    return Object.assign(decoded, { receivedEncodedLength: 0 })
  })
  const parseJson = app.getDefaultJsonParser('remove', 'remove')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    attributeTick('platform')
    let text: string
    try {
      text = decoder.decode(bytes as Buffer)
    } catch {
      done(new PlatformError('parse_error'))
      return
    }
    if (exceedsDepth(text, maxBodyDepth)) {
      const fields = {
        [fieldOf([])]: [`Must have at most ${maxBodyDepth} levels of objects and arrays.`],
      }
      done(new PlatformError('invalid', { fields }))
      return
    }
    void parseJson(request, text, done)
  })
}

function commonHeaders(request: FastifyRequest): Record<string, string> {
  return {
    [requestIdField]: request.id,
    'cache-control': 'no-store',
    // Responses are data: browsers must not execute, render or sniff them.
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    ...(request.protocol === 'https' && { 'strict-transport-security': 'max-age=31536000' }),
  }
}
