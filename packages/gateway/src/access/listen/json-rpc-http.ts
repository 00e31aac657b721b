import type { Logger } from 'pino'
import type { NodeGrant } from '../../grants/node-grant.ts'
import { type AnsweredCall, answerCall, type CallContext, failureOf } from '../answer-call.ts'
import type { Admission } from '../admit/admission.ts'
import { sizeLimit } from '../admit/size-limits.ts'
import type { Answers } from '../forward/answers.ts'
import { latestOfBatch } from '../forward/consistency/latest-of-batch.ts'
import type { Upstreams } from '../forward/upstreams.ts'
import { parseBody, type RpcItem } from '../json-rpc/parse-body.ts'
import { refusedCall } from '../json-rpc/refused-call.ts'
import { RpcFailure, rpcCodes } from '../json-rpc/rpc-failure.ts'
import { errorText } from '../json-rpc/rpc-text.ts'
import type { ClientRequest, ClientResponse } from './client-side.ts'
import { type ExchangeRules, HttpExchange, type HttpPlane } from './http-exchange.ts'
import { Deadlines, type Timed } from './deadlines.ts'
import { matchNodePath, type NodePath } from './node-path.ts'
import { streamAnswer } from './stream-answer.ts'

/** What JSON-RPC needs from the rest of the service. */
export interface AccessPlane extends HttpPlane {
  readonly upstreams: Upstreams
  readonly maxBodyBytes: number
  readonly maxBatchItems: number
  /** Most blocks that a query for logs may span; 0 for any number. */
  readonly maxLogRange: number
  /** What earlier answers are remembered with; without it every call goes to the node. */
  readonly answers?: Answers | undefined
}

/** Makes the listener for JSON-RPC over HTTP: `POST /<token>`, `/<token>/evm`, and `/` with basic authentication. */
export function createJsonRpcListener(
  plane: AccessPlane,
): (request: ClientRequest, response: ClientResponse) => boolean {
  const rules: ExchangeRules = {
    protocol: 'evm',
    maxBodyBytes: plane.maxBodyBytes,
    cors: { methods: 'POST', headers: 'authorization, content-type', exposed: 'x-request-id' },
    failure: refusedCall,
    refusalOf: (error, log) => {
      const failure = failureOf(error, log)
      const { status, retryAfterSeconds } = failure
      const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
      return { status, headers, text: errorText('null', failure) }
    },
  }
  const deadlines = new Deadlines(plane.timeoutMs)
  return (request, response) => {
    const path = 'path' in request ? request.path : matchNodePath(request.url ?? '')
    if (!path) return false
    const exchange = new HttpExchange<ClientRequest, ClientResponse>(plane, rules, request, response)
    void exchange.run(path, () => new JsonRpcExchange(plane, path, exchange, deadlines).answer())
    return true
  }
}

/** The calls of one HTTP request. */
class JsonRpcExchange implements Timed {
  readonly #plane: AccessPlane
  readonly #path: NodePath
  readonly #http: HttpExchange<ClientRequest, ClientResponse>
  readonly #deadlines: Deadlines

  constructor(
    plane: AccessPlane,
    path: NodePath,
    http: HttpExchange<ClientRequest, ClientResponse>,
    deadlines: Deadlines,
  ) {
    this.#plane = plane
    this.#path = path
    this.#http = http
    this.#deadlines = deadlines
  }

  /** Gives up what the node has not answered in time. */
  end(): void {
    this.#http.abort(new DOMException('Too late.', 'TimeoutError'))
  }

  async answer(): Promise<void> {
    const { request, response } = this.#http
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST, OPTIONS')
      throw new RpcFailure(rpcCodes.invalidRequest, 'JSON-RPC is called with POST.', { status: 405 })
    }
    const grant = this.#http.enter(this.#path)
    const maxBodyBytes = sizeLimit(grant, 'maxBodyBytes', this.#plane.maxBodyBytes)
    // The front has read the body before it calls, and is not to wait.
    const bytes =
      'bytes' in request ? request.bytes : await this.#http.readBody(maxBodyBytes, tooLong(maxBodyBytes))
    this.#http.bytesIn = bytes.length
    if (bytes.length > maxBodyBytes) throw tooLong(maxBodyBytes)()
    const { batch, items } = parseBody(bytes, sizeLimit(grant, 'maxBatchItems', this.#plane.maxBatchItems))
    const context = new RequestContext(this.#plane, this.#http, grant, this.#path.endpoint)
    this.#deadlines.begin(this, performance.now())
    try {
      if (batch) await this.#answerBatch(items, context)
      else await this.#answerOne(items[0] as RpcItem, context)
    } finally {
      this.#deadlines.done(this)
    }
  }

  async #answerOne(item: RpcItem, context: CallContext): Promise<void> {
    const answered = await answerCall(item, context)
    this.#http.method = answered.method
    const { content, retryAfterSeconds } = answered
    if (retryAfterSeconds !== undefined) {
      this.#http.response.setHeader('retry-after', String(retryAfterSeconds))
    }
    if (typeof content !== 'object') {
      this.#http.end(answered.status, content)
      return
    }
    if (content.bytes && content.bytes[0] === openBrace) {
      answered.leave?.()
      this.#http.end(200, content.bytes)
      return
    }
    try {
      const end = await streamAnswer(
        content,
        this.#http.response,
        context.signal,
        (bytes) => (this.#http.bytesOut += bytes),
      )
      if (end !== 'client gone') this.#http.status = end === 'complete' ? 200 : end.status
    } catch (error) {
      if (this.#http.isOver()) return
      const failure = failureOf(error, this.#http.log)
      this.#http.end(failure.status, errorText(item.idText ?? 'null', failure))
    } finally {
      answered.leave?.()
    }
  }

  async #answerBatch(items: readonly RpcItem[], context: RequestContext): Promise<void> {
    this.#http.method = 'batch'
    const room = context.upstream.room()
    context.latest = latestOfBatch(items, context)
    const answered = await Promise.all(items.map((item) => answerCall(item, context, room)))
    this.#http.calls = answered
    // Not earlier: what is still being read is given back by whoever reads it.
    this.#http.whenOver(() => room.empty())
    const texts = answered.flatMap(({ content }: AnsweredCall) =>
      typeof content === 'string' ? [content] : [],
    )
    if (texts.length === 0) this.#http.end(204)
    else this.#http.end(200, `[${texts.join(',')}]`)
  }
}

/** What the calls of one HTTP request share. */
class RequestContext implements CallContext {
  readonly grant: NodeGrant
  readonly endpoint: NodePath['endpoint']
  readonly upstream: CallContext['upstream']
  readonly signal: AbortSignal
  readonly maxLogRange: number
  readonly admission: Admission
  readonly answers: CallContext['answers']
  latest: CallContext['latest']
  readonly #http: HttpExchange<ClientRequest, ClientResponse>

  constructor(
    { upstreams, maxLogRange, admission, answers }: AccessPlane,
    http: HttpExchange<ClientRequest, ClientResponse>,
    grant: NodeGrant,
    endpoint: NodePath['endpoint'],
  ) {
    this.grant = grant
    this.endpoint = endpoint
    this.upstream = upstreams.of(grant, 'evm')
    this.signal = http.signal
    this.maxLogRange = sizeLimit(grant, 'maxLogRange', maxLogRange)
    this.admission = admission
    this.answers = answers
    this.#http = http
  }

  // Most requests have nothing to say.
  get log(): Logger {
    return this.#http.log
  }
}

function tooLong(maxBytes: number): (message?: string) => RpcFailure {
  return (message = `The body may hold at most ${maxBytes} bytes.`) =>
    new RpcFailure(rpcCodes.invalidRequest, message, { status: 413, data: { max_bytes: maxBytes } })
}

const openBrace = 0x7b
