import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { NodeGrant } from '../../credentials/node-grant.ts'
import { admit } from '../admit/admit.ts'
import { type AnsweredCall, answerCall, type CallContext, failureOf } from '../answer-call.ts'
import { authenticate } from '../authenticate/authenticate.ts'
import type { Directory } from '../authenticate/directory.ts'
import type { Upstreams } from '../forward/upstreams.ts'
import { parseBody, type RpcItem } from '../json-rpc/parse-body.ts'
import { RpcFailure, rpcCodes } from '../json-rpc/rpc-failure.ts'
import { errorText } from '../json-rpc/rpc-text.ts'
import type { Meter } from '../meter/meter.ts'
import { endAndLinger } from './end-and-linger.ts'
import { matchNodePath, type NodePath } from './node-path.ts'
import { isShort, readBody } from './read-body.ts'
import { streamAnswer } from './stream-answer.ts'

/** What the access plane needs from the rest of the service. */
export interface AccessPlane {
  readonly directory: Directory
  readonly upstreams: Upstreams
  readonly meter: Meter
  readonly log: Logger
  readonly maxBodyBytes: number
  readonly maxBatchItems: number
  readonly timeoutMs: number
  /** Most blocks that a query for logs may span; 0 for any number. */
  readonly maxLogRange: number
  readonly corsOrigin: string
  readonly nodeDomain: string | undefined
}

/** Takes a request when its path belongs to a node; otherwise leaves it untouched and returns false. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => boolean

/** Makes the listener for JSON-RPC over HTTP: `POST /<token>`, `/<token>/evm`, and `/` with basic authentication. */
export function createJsonRpcListener(plane: AccessPlane): NodeListener {
  return (request, response) => {
    const path = matchNodePath(request.url ?? '')
    if (!path) return false
    void new Exchange(plane, path, request, response).run()
    return true
  }
}

// What proxies write down for a client that left before its answer; no client ever sees it.
const clientGone = 499

// The operating system takes this much whether or not the client reads.
const heldAlways = 65_536

/** One HTTP request from its headers to the last byte of its answer. */
class Exchange {
  readonly #plane: AccessPlane
  readonly #log: Logger
  readonly #path: NodePath
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #ended = new AbortController()
  readonly #requestId = randomUUID()
  readonly #started = performance.now()
  #grant: NodeGrant | undefined
  #method = 'unknown'
  #status = clientGone

  constructor(plane: AccessPlane, path: NodePath, request: IncomingMessage, response: ServerResponse) {
    this.#plane = plane
    this.#log = plane.log.child({ request_id: this.#requestId })
    this.#path = path
    this.#request = request
    this.#response = response
  }

  async run(): Promise<void> {
    this.#response.once('close', () => this.#ended.abort())
    try {
      this.#setCommonHeaders()
      if (this.#mayCall()) await this.#answer(this.#authenticated())
    } catch (error) {
      if (!this.#isOver()) await this.#refuse(failureOf(error, this.#log))
    } finally {
      this.#measure()
    }
  }

  #setCommonHeaders(): void {
    const { corsOrigin } = this.#plane
    this.#response.setHeader('x-request-id', this.#requestId)
    this.#response.setHeader('access-control-allow-origin', corsOrigin)
    this.#response.setHeader('access-control-expose-headers', 'x-request-id')
    if (corsOrigin !== '*') this.#response.setHeader('vary', 'origin')
  }

  /** Answers a browser that asks whether it may call. */
  #mayCall(): boolean {
    if (this.#request.method === 'POST') return true
    if (this.#request.method !== 'OPTIONS') {
      this.#response.setHeader('allow', 'POST, OPTIONS')
      throw new RpcFailure(rpcCodes.invalidRequest, 'JSON-RPC is called with POST.', { status: 405 })
    }
    this.#response.setHeader('access-control-allow-methods', 'POST')
    this.#response.setHeader('access-control-allow-headers', 'authorization, content-type')
    this.#response.setHeader('access-control-max-age', '86400')
    this.#end(204)
    return false
  }

  #authenticated(): NodeGrant {
    const { directory, nodeDomain } = this.#plane
    const grant = authenticate(directory, this.#path, this.#request.headers, nodeDomain)
    if ('reason' in grant) {
      this.#response.setHeader('www-authenticate', 'Basic realm="node"')
      throw new RpcFailure(rpcCodes.invalidRequest, `Unauthorized: ${grant.reason}`, { status: 401 })
    }
    this.#grant = grant
    admit(grant, 'evm')
    return grant
  }

  async #answer(grant: NodeGrant): Promise<void> {
    const { maxBodyBytes, maxBatchItems, timeoutMs, maxLogRange, upstreams } = this.#plane
    const bytes = await readBody(this.#request, maxBodyBytes)
    const { batch, items } = parseBody(bytes, maxBatchItems)
    const { signal } = this.#ended
    const upstream = upstreams.of(grant, 'evm')
    const { endpoint } = this.#path
    const context = { grant, endpoint, upstream, signal, maxLogRange, log: this.#log }
    const late = setTimeout(() => this.#ended.abort(new DOMException('Too late.', 'TimeoutError')), timeoutMs)
    try {
      if (batch) await this.#answerBatch(items, context)
      else await this.#answerOne(items[0] as RpcItem, context)
    } finally {
      clearTimeout(late)
    }
  }

  async #answerOne(item: RpcItem, context: CallContext): Promise<void> {
    const answered = await answerCall(item, context)
    this.#method = answered.method
    if (typeof answered.content !== 'object') {
      this.#end(answered.status, answered.content)
      return
    }
    try {
      const end = await streamAnswer(answered.content, this.#response, context.signal)
      if (end !== 'client gone') this.#status = end === 'complete' ? 200 : end.status
    } catch (error) {
      if (this.#isOver()) return
      const failure = failureOf(error, this.#log)
      this.#end(failure.status, errorText(item.idText ?? 'null', failure))
    }
  }

  async #answerBatch(items: readonly RpcItem[], context: CallContext): Promise<void> {
    this.#method = 'batch'
    const room = context.upstream.room()
    const answered = await Promise.all(items.map((item) => answerCall(item, context, room)))
    // Not earlier: what is still being read is given back by whoever reads it.
    this.#whenOver(() => room.empty())
    const texts = answered.flatMap(({ content }: AnsweredCall) =>
      typeof content === 'string' ? [content] : [],
    )
    if (texts.length === 0) this.#end(204)
    else this.#end(200, `[${texts.join(',')}]`)
  }

  async #refuse(failure: RpcFailure): Promise<void> {
    const text = errorText('null', failure)
    // Node reads and drops what is left of a short body, and the connection lives on.
    if (this.#request.complete || isShort(this.#request, this.#plane.maxBodyBytes)) {
      this.#end(failure.status, text)
      return
    }
    this.#status = failure.status
    this.#response.statusCode = failure.status
    this.#response.setHeader('content-type', 'application/json')
    await endAndLinger(this.#request, this.#response, text)
  }

  #end(status: number, text?: string): void {
    if (this.#response.headersSent || this.#response.destroyed) return
    this.#status = status
    this.#response.statusCode = status
    if (text !== undefined) this.#response.setHeader('content-type', 'application/json')
    // A client that does not read would have its answer held for ever.
    if (text !== undefined && text.length > heldAlways) this.#response.setTimeout(this.#plane.timeoutMs)
    this.#response.end(text)
  }

  /** Runs something when the answer has left, or cannot any more. */
  #whenOver(run: () => void): void {
    if (this.#response.destroyed) run()
    else this.#response.once('close', run)
  }

  /** Whether the client is gone, so that there is nobody to answer. */
  #isOver(): boolean {
    return this.#response.destroyed || this.#request.socket.destroyed
  }

  #measure(): void {
    const durationSeconds = (performance.now() - this.#started) / 1_000
    this.#plane.meter({ protocol: 'evm', method: this.#method, status: this.#status, durationSeconds })
    this.#log.info(
      {
        node_id: this.#grant?.nodeId,
        credential_id: this.#grant?.credentialId,
        method: this.#method,
        status: this.#status,
        duration_ms: Math.round(durationSeconds * 1_000),
      },
      'node request',
    )
  }
}
