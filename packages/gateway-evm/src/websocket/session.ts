import { performance } from 'node:perf_hooks'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { WebSocket } from 'ws'
import { haveCommonUrl } from '@fairlead/gateway-core/upstream/node-pools'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { Requester } from '@fairlead/gateway-core/admission/types'
import type { SocketShare } from './credential-sockets.ts'
import { sizeLimit } from '@fairlead/gateway-core/admission/request-limits'
import { toResponseError } from '../call-handler.ts'
import type {
  RequestContext,
  RequestOrigin,
  RequestServices,
} from '@fairlead/gateway-core/http/request-context'
import { parseBody, type RpcBody } from '@fairlead/gateway-core/json-rpc/parse-body'
import { errorText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { ClientSubscriptions } from '../subscriptions/client-subscriptions.ts'
import { isUnfilteredLogs } from '../subscriptions/subscription-request.ts'
import { guarded, guardedTimeout, RehashingMap } from '@fairlead/runtime'
import { availableMethod } from '../methods/available-methods.ts'
import { type HandledMessage, handleMessage } from './handle-message.ts'
import type { CorkedSocket } from '@fairlead/gateway-core/websocket/corked-sockets'
import type { LongLivedConnection, AccessLoss } from '@fairlead/gateway-core/authentication/connection-guard'
import type { Deadlines } from '@fairlead/gateway-core/http/deadlines'
import type { RpcEndpoint } from '../http/rpc-routes.ts'
import type { SubscriptionMultiplexer } from '../subscriptions/multiplexer.ts'
import { SessionMessage } from './session-message.ts'
import { maxFramedText, textFrame } from '@fairlead/gateway-core/websocket/text-frame'
import { closeCodes, closeLabel, codeOfFault } from '@fairlead/gateway-core/websocket/close-codes'
import type { WebSocketDependencies } from './dependencies.ts'

/** Dependencies and properties of one connection. */
export interface SessionOptions {
  readonly dependencies: WebSocketDependencies
  readonly webSocket: WebSocket
  /** The TCP or TLS connection of the WebSocket. */
  readonly socket: Duplex
  /** The same connection with write batching. */
  readonly corked: CorkedSocket
  /** Shared by the calls of all connections. */
  readonly deadlines: Deadlines
  readonly grant: Grant
  /** Its share of the credential's usage. */
  readonly share: SocketShare
  /** Requester that opened the connection, for rules that change while it is open. */
  readonly requester: Requester
  readonly endpoint: RpcEndpoint
  /** Shared by the messages of all connections. */
  readonly services: RequestServices
  /** Request id of the handshake. */
  readonly requestId: string
  /** Logger of the connection. */
  readonly log: Logger
  /** Origin of the messages. */
  readonly origin: RequestOrigin
}

// Maximum time for a client to read its responses after its queue has exceeded the limit.
const drainTimeoutMs = 30_000
// Maximum time for a client to respond to a close frame.
const closeTimeoutMs = 10_000
const asText = { binary: false }

const closeByCause: Readonly<Record<AccessLoss['cause'], readonly [number, string]>> = {
  revoked: [closeCodes.revoked, 'credential revoked'],
  expired: [closeCodes.revoked, 'credential expired'],
  rule: [closeCodes.forbidden, 'forbidden by an access rule'],
  protocol: [closeCodes.forbidden, 'the node no longer offers this protocol'],
  moved: [closeCodes.moved, 'the upstreams of the node have changed'],
}

/** One client WebSocket, from its opening to its close. */
export class WebSocketSession implements LongLivedConnection {
  readonly #options: SessionOptions
  readonly #subscriptions: ClientSubscriptions
  /** Received messages that wait for processing. */
  readonly #queue: Buffer[] = []
  readonly #calls = new RehashingMap<SessionMessage, true>()
  readonly #started = performance.now()
  #grant: Grant
  #multiplexer: SubscriptionMultiplexer | undefined
  #inFlight = 0
  #messagesIn = 0
  #messagesOut = 0
  #unansweredPings = 0
  #isDraining = false
  #isPumping = false
  #mayRead = true
  #closeCode: number | undefined
  #drainTimer: NodeJS.Timeout | undefined
  #readEnd: NodeJS.Timeout | undefined

  constructor(options: SessionOptions) {
    this.#options = options
    this.#grant = options.grant
    const { dependencies, webSocket, socket } = options
    this.#multiplexer = dependencies.multiplexers.find(options.grant)
    this.#subscriptions = new ClientSubscriptions({
      multiplexer: () => (this.#multiplexer = dependencies.multiplexers.of(this.#grant)),
      needs: (method) => void availableMethod(method, this.#grant, options.endpoint),
      maxSubscriptions: dependencies.maxSubscriptions,
      countSubscription: (request) =>
        options.share.subscribe({ size: request.size, isUnfilteredLogs: isUnfilteredLogs(request) }),
      maxWaitingBytes: dependencies.maxBufferBytes,
      notify: (text) => this.#notify(text),
      onGap: (reason) => this.close(closeCodes.gap, reason),
      count: (kind, change) => dependencies.metrics.subscriptions.inc({ kind }, change),
    })
    dependencies.metrics.open.inc()
    const fail = () => this.close(closeCodes.internal, 'unexpected error')
    webSocket.on(
      'message',
      guarded('websocket', (data: unknown) => this.#onMessage(data as Buffer), fail),
    )
    webSocket.on('pong', () => (this.#unansweredPings = 0))
    webSocket.on('error', (error) => (this.#closeCode ??= codeOfFault(error)))
    webSocket.on(
      'close',
      guarded('websocket', (code: number) => this.#closed(code)),
    )
    socket.on(
      'drain',
      guarded('websocket', () => this.#drained(), fail),
    )
  }

  /** Closes the connection with a reason for the client. */
  close(code: number, reason: string): void {
    if (this.#closeCode !== undefined) return
    this.#closeCode = code
    this.#end()
    const { webSocket, corked } = this.#options
    // Reading must continue to receive the client's close frame.
    webSocket.resume()
    corked.flush()
    webSocket.close(code, reason)
    guardedTimeout(() => webSocket.terminate(), closeTimeoutMs).unref()
  }

  /** Terminates the connection without waiting for the client. */
  terminate(): void {
    this.#closeCode ??= closeCodes.abnormal
    this.#options.webSocket.terminate()
  }

  /**
   * Closes the connection when no call is in flight. Every message that was read receives a response.
   *
   * @param readMs - time after which no further message is read
   */
  drain(readMs: number): void {
    this.#isDraining = true
    this.#readEnd = guardedTimeout(() => {
      this.#mayRead = false
      this.#pump()
    }, readMs).unref()
    this.#pump()
  }

  /** Checks whether the client is alive. */
  ping(): void {
    const { webSocket } = this.#options
    // The gateway does not receive a pong while reading is paused.
    if (webSocket.isPaused || this.#closeCode !== undefined) return
    if (this.#unansweredPings >= 2) return this.terminate()
    this.#unansweredPings += 1
    webSocket.ping()
  }

  /** Access that the credential grants. */
  get grant(): Grant {
    return this.#grant
  }

  get requester(): Requester {
    return this.#options.requester
  }

  renew(grant: Grant): boolean {
    const before = this.#grant.upstreams['evm'] ?? ''
    this.#grant = grant
    const multiplexer = this.#options.dependencies.multiplexers.find(grant)
    if (multiplexer === this.#multiplexer) return true
    if (!multiplexer || !haveCommonUrl(before, grant.upstreams['evm'] ?? '')) return false
    this.#multiplexer = multiplexer
    this.#subscriptions.moveTo(multiplexer)
    return true
  }

  end({ cause }: AccessLoss): void {
    this.close(...closeByCause[cause])
  }

  #onMessage(data: Buffer): void {
    this.#unansweredPings = 0
    if (this.#closeCode !== undefined) return
    this.#messagesIn += 1
    this.#options.dependencies.metrics.messages.in += 1
    if (data.length > sizeLimit(this.#grant, 'maxBodyBytes', this.#options.dependencies.maxBodyBytes)) {
      return this.close(closeCodes.tooLong, 'message too large')
    }
    this.#queue.push(data)
    this.#pump()
  }

  /** Processes as many queued messages as the limits allow, and pauses reading at the limits. */
  #pump(): void {
    // A synchronous response re-enters this method from inside the loop.
    if (this.#isPumping) return
    const { dependencies, webSocket } = this.#options
    this.#isPumping = true
    while (this.#queue.length > 0 && this.#inFlight < dependencies.maxCalls && !this.#isFull()) {
      this.#serve(this.#queue.shift() as Buffer)
    }
    this.#isPumping = false
    if (this.#closeCode !== undefined) return
    const isAtLimit = this.#queue.length > 0 || this.#inFlight >= dependencies.maxCalls || this.#isFull()
    if (this.#isFull()) this.#startDrainTimeout()
    if (isAtLimit || !this.#mayRead) webSocket.pause()
    else if (webSocket.isPaused) webSocket.resume()
    if (this.#isDraining && this.#inFlight === 0 && this.#queue.length === 0) {
      this.close(closeCodes.restart, 'gateway restart')
    }
  }

  #serve(data: Buffer): void {
    const { dependencies, deadlines, log, origin } = this.#options
    const message = new SessionMessage(this.#options, this.#grant, this.#subscriptions)
    const { context } = message
    context.bytesIn = data.length
    let body: RpcBody
    try {
      body = parseBody(data, sizeLimit(this.#grant, 'maxBatchItems', dependencies.maxBatchItems))
    } catch (error) {
      this.#send(Buffer.from(errorText('null', toResponseError(error, log))))
      context.status = 200
      context.finish()
      return
    }
    const deadline = deadlines.begin(message, context.started)
    this.#calls.set(message, true)
    this.#inFlight += body.items.length
    context.begin(origin)
    const handle = () =>
      handleMessage(body, message, (handled) => {
        deadline.done()
        this.#calls.delete(message)
        this.#inFlight -= body.items.length
        this.#onHandled(handled, context)
      })
    if (context.hasAsyncContext) context.run(handle)
    else handle()
  }

  #onHandled(handled: HandledMessage, context: RequestContext): void {
    const { text } = handled
    if (text === undefined) handled.release()
    else this.#send(text, handled.release)
    handled.activate()
    context.method = handled.method
    context.status = handled.status
    context.calls = handled.calls
    context.bytesOut = text?.length ?? 0
    context.finish()
    this.#pump()
  }

  #isFull(): boolean {
    const { webSocket, corked, dependencies } = this.#options
    return webSocket.bufferedAmount + corked.collected > dependencies.maxBufferBytes
  }

  /** Starts the timeout for a client whose queue has exceeded the limit. */
  #startDrainTimeout(): void {
    this.#drainTimer ??= guardedTimeout(() => {
      this.#drainTimer = undefined
      if (this.#isFull()) this.close(closeCodes.slowClient, slowReason)
      else this.#pump()
    }, drainTimeoutMs).unref()
  }

  #notify(text: string): void {
    const bytes = Buffer.from(text)
    this.#send(bytes)
    const push = { method: 'eth_subscription', status: 200, bytesOut: bytes.length, pushes: 1 }
    this.#options.dependencies.meter({ ...push, protocol: 'evm', grant: this.#grant })
    const rejection = this.#options.dependencies.admission.push(this.#grant, 1)
    if (rejection) this.close(closeCodes.limitReached, 'quota exceeded')
    if (this.#isFull()) this.close(closeCodes.slowClient, slowReason)
  }

  /** Sends a text, which is ASCII unless it is a buffer. `sent` is called when it has been sent or cannot be sent. */
  #send(text: Buffer | string, sent?: () => void): void {
    const { webSocket, corked, dependencies } = this.#options
    if (this.#closeCode !== undefined || webSocket.readyState !== webSocket.OPEN) return sent?.()
    this.#messagesOut += 1
    dependencies.metrics.messages.out += 1
    if (typeof text === 'string' && text.length <= maxFramedText) corked.write(textFrame(text), sent)
    else {
      corked.flush()
      webSocket.send(text, asText, sent)
    }
  }

  /** Called when the client has read all queued data. */
  #drained(): void {
    clearTimeout(this.#drainTimer)
    this.#drainTimer = undefined
    this.#pump()
  }

  #end(): void {
    clearTimeout(this.#drainTimer)
    clearTimeout(this.#readEnd)
    this.#queue.length = 0
    this.#subscriptions.end()
    for (const { context } of this.#calls.keys()) context.abort()
  }

  #closed(code: number): void {
    const { dependencies, log, share } = this.#options
    this.#closeCode ??= code
    this.#end()
    share.close()
    dependencies.metrics.open.dec()
    dependencies.metrics.closed.inc({ code: closeLabel(this.#closeCode) })
    log.info(
      {
        node_id: this.#grant.nodeId,
        credential_id: this.#grant.credentialId,
        messages_in: this.#messagesIn,
        messages_out: this.#messagesOut,
        duration_ms: Math.round(performance.now() - this.#started),
        close_code: this.#closeCode,
      },
      'node websocket',
    )
  }
}

const slowReason = 'client reads too slowly'
