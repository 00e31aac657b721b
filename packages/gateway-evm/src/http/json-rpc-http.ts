import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { type CancellationSignal, settleWith } from '@fairlead/runtime'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import {
  type HandledCall,
  beginCalls,
  type CallContext,
  prepareCall,
  toResponseError,
} from '../call-handler.ts'
import type { Admission } from '@fairlead/gateway-core/admission/types'
import { sizeLimit } from '@fairlead/gateway-core/admission/request-limits'
import type { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import type { ResolvedCall } from '../methods/resolve-method.ts'
import type { UpstreamResponse } from '../response/upstream-response.ts'
import type { Upstream } from '../upstream/types.ts'
import type { EvmUpstreams } from '../upstream/evm-upstreams.ts'
import { fastParse } from '@fairlead/gateway-core/json-rpc/fast-parse'
import { parseBody, parseLatin1, type RpcBody } from '@fairlead/gateway-core/json-rpc/parse-body'
import type { RpcItem } from '@fairlead/gateway-core/json-rpc/types'
import { rejectedCall } from '../rejected-call.ts'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { ordinaryCost } from '@fairlead/gateway-core/usage/units'
import { rpcCodes } from '../rpc-codes.ts'
import { errorText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { requestIdField, retryAfterFields } from '@fairlead/gateway-core/http/response-fields'
import type { HttpRequest } from '@fairlead/gateway-core/http/types'
import { createRequestHandler, type HttpContext } from '@fairlead/gateway-core/http/http-context'
import type { RequestRules, HttpDependencies, RequestHandler } from '@fairlead/gateway-core/http/dependencies'
import { type Deadline, Deadlines, type Expirable } from '@fairlead/gateway-core/http/deadlines'
import type { RouteMatch } from '@fairlead/gateway-core/http/route'
import { type RpcEndpoint, rpcEndpointOf } from './rpc-routes.ts'
import type { BodyStatus } from '@fairlead/gateway-core/http/read-body'

/** Dependencies of the JSON-RPC handlers. */
export interface JsonRpcDependencies extends HttpDependencies {
  readonly upstreams: EvmUpstreams
  /** Spreads batches and long bodies over event-loop ticks. */
  readonly budget: TickBudget
  readonly maxBodyBytes: number
  readonly maxBatchItems: number
  /** Maximum number of blocks in a log query. 0 = unlimited. */
  readonly maxLogRange: number
  /** Caches for responses. Without it, every call is sent to the upstream. */
  readonly caches?: ResolvedCall['caches']
}

// Request headers that libraries, wallets and tracing add to a call.
const browserHeaders = [
  'authorization',
  'content-type',
  'accept',
  'accept-language',
  'cache-control',
  'baggage',
  'b3',
  'traceparent',
  'tracestate',
  'sentry-trace',
  'x-api-key',
  'x-client-name',
  'x-client-version',
  'x-request-id',
  'x-requested-with',
]

// A shorter body is part of what each call costs.
const shortBodyBytes = 4_096
const longBodyBytes = 16_384
const bytesPerUnit = 1_024

// Limits the work for an unauthenticated caller.
const maxInspectedLength = 4_096

/**
 * Returns the id of a call that is rejected before it is parsed, if its body is buffered and short. Clients match the
 * error to the call by this id.
 */
function idOf(request: HttpRequest, status: number): string {
  const { bufferedBody } = request
  if (status !== 401 || bufferedBody === undefined || bufferedBody.length > maxInspectedLength) return 'null'
  return fastParse(bufferedBody)?.idText ?? 'null'
}

/** Creates the handler for JSON-RPC over HTTP: `POST /<token>`, `/<token>/evm`, and `/` with basic authentication. */
export function createJsonRpcHandler(dependencies: JsonRpcDependencies): RequestHandler {
  const rules: RequestRules = {
    protocol: 'evm',
    traceAttributes: { 'rpc.system': 'jsonrpc' },
    maxBodyBytes: dependencies.maxBodyBytes,
    cors: { methods: 'POST', headers: browserHeaders.join(', '), exposed: `${requestIdField}, retry-after` },
    failure: rejectedCall,
    rejectionOf: (error, log, request) => {
      const failure = toResponseError(error, log)
      const { status, retryAfterSeconds } = failure
      const headers = retryAfterFields(retryAfterSeconds)
      return { status, headers, text: errorText(idOf(request, status), failure) }
    },
  }
  const deadlines = new Deadlines(dependencies.timeoutMs)
  return createRequestHandler(dependencies, rules, (context, match) =>
    new JsonRpcRequest(dependencies, match, context, deadlines).begin(),
  )
}

/** The calls of one HTTP request and their shared context. */
class JsonRpcRequest implements Expirable, CallContext {
  readonly signal: CancellationSignal
  readonly endpoint: RpcEndpoint
  readonly admission: Admission
  readonly caches: ResolvedCall['caches']
  readonly budget: TickBudget
  readonly grant: Grant
  readonly maxLogRange: number
  readonly #dependencies: JsonRpcDependencies
  readonly #http: HttpContext
  readonly #deadlines: Deadlines
  #deadline: Deadline | undefined
  #upstream: Upstream | undefined
  /** Why the node has no usable upstream. It fails the whole request. */
  #noUpstream: unknown

  /** @throws {@link RpcError} when the request is not allowed */
  constructor(dependencies: JsonRpcDependencies, match: RouteMatch, http: HttpContext, deadlines: Deadlines) {
    const { request, response } = http
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST, OPTIONS')
      throw new RpcError(rpcCodes.invalidRequest, 'Use POST for JSON-RPC.', { status: 405 })
    }
    this.grant = http.authenticate(match)
    this.signal = http.signal
    this.endpoint = rpcEndpointOf(match)
    this.admission = dependencies.admission
    this.caches = dependencies.caches
    this.budget = dependencies.budget
    this.maxLogRange = sizeLimit(this.grant, 'maxLogRange', dependencies.maxLogRange)
    this.#dependencies = dependencies
    this.#http = http
    this.#deadlines = deadlines
  }

  /**
   * The upstreams of the node, which are opened for the first call that is admitted.
   *
   * @throws {@link RpcError} with status 503 when the node has no usable upstream
   */
  get upstream(): Upstream {
    try {
      this.#upstream ??= this.#dependencies.upstreams.forCall(this.grant)
      return this.#upstream
    } catch (error) {
      this.#noUpstream = error
      throw error
    }
  }

  // The logger is created lazily, because most requests do not log.
  get log(): Logger {
    return this.#http.log
  }

  begin(): void {
    const maxBodyBytes = sizeLimit(this.grant, 'maxBodyBytes', this.#dependencies.maxBodyBytes)
    const { bufferedBody } = this.#http.request
    if (bufferedBody !== undefined) {
      if (bufferedBody.length > maxBodyBytes) throw bodyError(maxBodyBytes)(413)
      if (bufferedBody.length > shortBodyBytes) this.#http.reserveBody(bufferedBody.length)
      this.#beginBody(bufferedBody, this.#http.started)
      return
    }
    settleWith(this.#http.readBody(maxBodyBytes, bodyError(maxBodyBytes)), {
      resolve: (bytes) => this.#http.guard(() => this.#beginBody(bytes, performance.now())),
      reject: (error) => this.#http.fail(error),
    })
  }

  /** Aborts calls to which the upstream has not responded before the timeout. */
  end(): void {
    this.#http.abort(new DOMException('The call timed out.', 'TimeoutError'))
  }

  /** Parses the body; a long one in its turn, as that takes longer than a call. */
  #beginBody(body: Buffer | string, now: number): void {
    if (body.length <= longBodyBytes) return this.#handleBody(body, now)
    this.budget.run(this.grant, body.length / bytesPerUnit, () =>
      this.#http.guard(() => this.#handleBody(body, now)),
    )
  }

  /** @param body - bytes, or a string with one character per byte */
  #handleBody(body: Buffer | string, now: number): void {
    this.#http.bytesIn = body.length
    const maxBatchItems = sizeLimit(this.grant, 'maxBatchItems', this.#dependencies.maxBatchItems)
    const { batch, items } = this.#parse(body, maxBatchItems)
    this.#deadline = this.#deadlines.begin(this, now)
    if (batch) return this.#beginBatch(items)
    const [item] = items as readonly [RpcItem]
    prepareCall(item, this).begin((handled) => this.#http.guard(() => this.#respondSingle(item, handled)))
  }

  #parse(body: Buffer | string, maxBatchItems: number): RpcBody {
    try {
      return typeof body === 'string' ? parseLatin1(body, maxBatchItems) : parseBody(body, maxBatchItems)
    } catch (error) {
      // Charged like a call, so that the limits of the credential apply to invalid bodies too.
      const rejection = this.admission.admitStream(this.grant, 'unknown', ordinaryCost)
      throw rejection ? rejectedCall(rejection) : error
    }
  }

  #respondSingle({ idText = 'null' }: RpcItem, handled: HandledCall): void {
    if (this.#noUpstream !== undefined) return this.#fail(this.#noUpstream)
    this.#http.method = handled.method
    const { content, status, retryAfterSeconds } = handled
    if (retryAfterSeconds !== undefined) {
      this.#http.response.setHeader('retry-after', String(retryAfterSeconds))
    }
    if (typeof content !== 'object') {
      this.#http.end(status, content)
      this.#finish()
      return
    }
    const object = content.objectWithId(idText)
    if (object === undefined) return this.#finishAfter(this.#stream(content, handled, idText))
    handled.release?.()
    this.#http.end(200, object, 'latin1')
    this.#finish()
  }

  async #stream(content: UpstreamResponse, handled: HandledCall, idText: string): Promise<void> {
    try {
      const { response, signal } = this.#http
      const end = await content.streamTo(response, idText, signal, {
        begin: () => this.#beginStream(content.lengthWithId(idText)),
        sent: (bytes) => (this.#http.bytesOut += bytes),
        turn: (units) => this.#http.turn(units),
      })
      if (end !== 'client disconnected') this.#http.status = end === 'complete' ? 200 : end.status
    } catch (error) {
      if (this.#http.isOver()) return
      const failure = toResponseError(error, this.log)
      this.#http.end(failure.status, errorText(idText, failure))
    } finally {
      handled.release?.()
    }
  }

  #beginStream(length: number | undefined): void {
    const { response } = this.#http
    this.#http.reserveStream()
    response.statusCode = 200
    response.setHeader('content-type', 'application/json')
    if (length !== undefined) response.setHeader('content-length', String(length))
  }

  #beginBatch(items: readonly RpcItem[]): void {
    this.#http.method = 'batch'
    const reservation = this.#dependencies.upstreams.reserve(this.grant)
    beginCalls(
      items,
      this,
      (handled) => this.#http.guard(() => this.#respondBatch(handled, reservation)),
      reservation,
    )
  }

  #respondBatch(handled: readonly HandledCall[], reservation: Reservation): void {
    this.#http.calls = handled
    // Released at the end, because a response that is still being read is released by its reader.
    this.#http.whenOver(() => reservation.release())
    if (this.#noUpstream !== undefined) return this.#fail(this.#noUpstream)
    const texts = handled.flatMap(({ content }: HandledCall) =>
      typeof content === 'string' ? [content] : [],
    )
    if (texts.length === 0) this.#http.end(204)
    else this.#http.end(200, `[${texts.join(',')}]`)
    this.#finish()
  }

  #finishAfter(streamed: Promise<void>): void {
    settleWith(streamed, {
      resolve: () => this.#finish(),
      reject: (error) => this.#fail(error),
    })
  }

  #fail(error: unknown): void {
    this.#deadline?.done()
    this.#http.fail(error)
  }

  #finish(): void {
    this.#deadline?.done()
    this.#http.finish()
  }
}

function bodyError(maxBytes: number): (status: BodyStatus, message?: string) => RpcError {
  return (status, message = `The request body must have at most ${maxBytes} bytes.`) => {
    const code = status === 400 ? rpcCodes.parseError : rpcCodes.invalidRequest
    return new RpcError(code, message, { status, ...(status === 413 && { data: { max_bytes: maxBytes } }) })
  }
}
