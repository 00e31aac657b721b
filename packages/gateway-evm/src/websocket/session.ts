import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { haveCommonUrl } from '@fairlead/gateway-core/upstream/node-pools'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { Requester } from '@fairlead/gateway-core/admission/types'
import { sizeLimit } from '@fairlead/gateway-core/admission/request-limits'
import { toResponseError } from '../call-handler.ts'
import type { RequestContext } from '@fairlead/gateway-core/http/request-context'
import { parseBody, type RpcBody } from '@fairlead/gateway-core/json-rpc/parse-body'
import { errorText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { ClientSubscriptions } from '../subscriptions/client-subscriptions.ts'
import { isUnfilteredLogs } from '../subscriptions/subscription-request.ts'
import { guarded, guardedTimeout, RehashingMap } from '@fairlead/runtime'
import { availableMethod, findMethod } from '../methods/available-methods.ts'
import { type HandledMessage, handleMessage } from './handle-message.ts'
import type { LongLivedConnection, AccessLoss } from '@fairlead/gateway-core/authentication/connection-guard'
import type { SubscriptionMultiplexer } from '../subscriptions/multiplexer.ts'
import { MemoryLimitError } from '@fairlead/gateway-core/memory/memory-ledger'
import { rejectedCall } from '../rejected-call.ts'
import { ordinaryCost } from '@fairlead/gateway-core/usage/units'
import type { InvalidItem, RpcItem } from '@fairlead/gateway-core/json-rpc/types'
import type { SubscriptionRequest } from '../subscriptions/subscription-request.ts'
import { Inbox } from './inbox.ts'
import { Outbox } from './outbox.ts'
import { SessionMessage } from './session-message.ts'
import { closeCodes, closeLabel, codeOfFault } from '@fairlead/gateway-core/websocket/close-codes'
import type { SessionOptions } from './session-options.ts'

// A client whose messages are all invalid is not one that makes a mistake.
const maxInvalidMessages = 100
// A longer message waits for its turn, as parsing it takes longer than a call.
const longMessageBytes = 16_384
const bytesPerUnit = 1_024

// Maximum time for a client to read its responses after its queue has exceeded the limit.
const drainTimeoutMs = 30_000
// Maximum time for a client to respond to a close frame.
const closeTimeoutMs = 10_000

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
  readonly #inbox: Inbox
  readonly #outbox: Outbox
  readonly #calls = new RehashingMap<SessionMessage, true>()
  readonly #started = performance.now()
  #grant: Grant
  #multiplexer: SubscriptionMultiplexer | undefined
  #inFlight = 0
  #messagesIn = 0
  /** Number of invalid messages since the last valid one. */
  #invalidMessages = 0
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
      needs: (method) => void availableMethod(method, findMethod(method), this.#grant, options.endpoint),
      maxSubscriptions: dependencies.maxSubscriptions,
      countSubscription: (request) => this.#countSubscription(request),
      maxWaitingBytes: dependencies.maxBufferBytes,
      notify: (text) => this.#notify(text),
      onGap: (reason) => this.close(closeCodes.gap, reason),
      count: (kind, change) => dependencies.metrics.subscriptions.inc({ kind }, change),
    })
    dependencies.metrics.open.inc()
    this.#outbox = new Outbox({ ...options, limits: dependencies })
    this.#inbox = new Inbox({
      ...options,
      budget: dependencies.budget,
      tenant: () => this.#grant,
      isClosing: () => this.#closeCode !== undefined,
      refuse: () => this.close(closeCodes.overloaded, 'memory limit reached'),
    })
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
    this.#inbox.resume()
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
    if (this.#inbox.isPaused || this.#closeCode !== undefined) return
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

  #countSubscription(request: SubscriptionRequest): () => void {
    const { memory, share } = this.#options
    const end = memory.holdSubscription(request.size)
    if (!end) throw new MemoryLimitError('total')
    try {
      const uncount = share.subscribe({ size: request.size, isUnfilteredLogs: isUnfilteredLogs(request) })
      return () => {
        uncount()
        end()
      }
    } catch (error) {
      end()
      throw error
    }
  }

  #onMessage(data: Buffer): void {
    this.#unansweredPings = 0
    if (this.#closeCode !== undefined) return
    this.#messagesIn += 1
    this.#options.dependencies.metrics.messages.in += 1
    if (data.length > sizeLimit(this.#grant, 'maxBodyBytes', this.#options.dependencies.maxBodyBytes)) {
      return this.close(closeCodes.tooLong, 'message too large')
    }
    if (this.#inbox.push(data)) this.#pump()
  }

  /** Processes as many queued messages as the limits allow, and pauses reading at the limits. */
  #pump(): void {
    // A synchronous response re-enters this method from inside the loop.
    if (this.#isPumping) return
    const { dependencies } = this.#options
    this.#isPumping = true
    while (this.#inFlight < dependencies.maxCalls && !this.#outbox.isFull) {
      const next = this.#inbox.shift()
      if (!next) break
      this.#serve(next)
    }
    this.#isPumping = false
    if (this.#closeCode !== undefined) return
    const isAtLimit = !this.#inbox.isEmpty || this.#inFlight >= dependencies.maxCalls || this.#outbox.isFull
    if (this.#outbox.isFull) this.#startDrainTimeout()
    if (isAtLimit || !this.#mayRead) this.#inbox.pause()
    else if (this.#inbox.isPaused) this.#inbox.resume()
    if (this.#isDraining && this.#inFlight === 0 && this.#inbox.isEmpty) {
      this.close(closeCodes.restart, 'gateway restart')
    }
  }

  #serve(data: Buffer): void {
    if (data.length <= longMessageBytes) return this.#handle(data)
    this.#inFlight += 1
    const { budget } = this.#options.dependencies
    budget.run(this.#grant, data.length / bytesPerUnit, () => {
      this.#inFlight -= 1
      if (this.#closeCode === undefined) this.#handle(data)
      this.#pump()
    })
  }

  #handle(data: Buffer): void {
    const { deadlines, log, memory, origin } = this.#options
    const message = new SessionMessage(this.#options, this.#grant, this.#subscriptions)
    const { context } = message
    context.bytesIn = data.length
    const body = this.#parse(data, log)
    const { items } = body
    if (items.every(isInvalid)) {
      memory.endMessage(data.length)
      this.#rejectInvalid(body.batch, items)
      context.status = 200
      context.finish()
      return
    }
    this.#invalidMessages = 0
    const deadline = deadlines.begin(message, context.started)
    this.#calls.set(message, true)
    this.#inFlight += items.length
    context.begin(origin)
    const handle = () =>
      handleMessage(body, message, (handled) => {
        deadline.done()
        memory.endMessage(data.length)
        this.#calls.delete(message)
        this.#inFlight -= items.length
        this.#onHandled(handled, context)
      })
    if (context.hasAsyncContext) context.run(handle)
    else handle()
  }

  #parse(data: Buffer, log: Logger): RpcBody {
    const maxItems = sizeLimit(this.#grant, 'maxBatchItems', this.#options.dependencies.maxBatchItems)
    try {
      return parseBody(data, maxItems)
    } catch (error) {
      return { batch: false, items: [{ idText: 'null', failure: toResponseError(error, log) }] }
    }
  }

  /** Responds to a message without a valid call. It is charged like calls, so that the limits of its credential apply. */
  #rejectInvalid(isBatch: boolean, failures: readonly InvalidItem[]): void {
    const { admission } = this.#options.dependencies
    const texts = failures.map(({ idText, failure }) => {
      const rejection = admission.admitStream(this.#grant, 'unknown', ordinaryCost)
      return errorText(idText, rejection ? rejectedCall(rejection) : failure)
    })
    this.#send(Buffer.from(isBatch ? `[${texts.join(',')}]` : texts.join('')))
    this.#invalidMessages += 1
    if (this.#invalidMessages >= maxInvalidMessages) {
      this.close(closeCodes.invalidMessages, 'too many invalid messages')
    }
  }

  #onHandled(handled: HandledMessage, context: RequestContext): void {
    const { text } = handled
    if (text === undefined) handled.release()
    else this.#respond(text, handled.release)
    handled.activate()
    context.method = handled.method
    context.status = handled.status
    context.calls = handled.calls
    context.bytesOut = text?.length ?? 0
    context.finish()
    this.#pump()
  }

  /** Starts the timeout for a client whose queue has exceeded the limit. */
  #startDrainTimeout(): void {
    this.#drainTimer ??= guardedTimeout(() => {
      this.#drainTimer = undefined
      if (this.#outbox.isFull) this.close(closeCodes.slowClient, slowReason)
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
    if (this.#outbox.isFull) this.close(closeCodes.slowClient, slowReason)
  }

  /** Sends a text, which is ASCII unless it is a buffer. */
  #send(text: Buffer | string): void {
    if (this.#isSendable() && !this.#outbox.send(text)) this.close(closeCodes.slowClient, slowReason)
  }

  /** Sends a response, whose memory `release` ends. */
  #respond(text: Buffer | string, release: () => void): void {
    if (!this.#isSendable()) return release()
    if (!this.#outbox.sendReserved(text, release)) this.close(closeCodes.slowClient, slowReason)
  }

  /** Whether the connection is open; counts the message that is then sent. */
  #isSendable(): boolean {
    const { webSocket, dependencies } = this.#options
    if (this.#closeCode !== undefined || webSocket.readyState !== webSocket.OPEN) return false
    this.#messagesOut += 1
    dependencies.metrics.messages.out += 1
    return true
  }

  /** Called when the client has read all queued data. */
  #drained(): void {
    clearTimeout(this.#drainTimer)
    this.#drainTimer = undefined
    this.#outbox.count()
    this.#pump()
  }

  #end(): void {
    clearTimeout(this.#drainTimer)
    clearTimeout(this.#readEnd)
    this.#inbox.clear()
    this.#subscriptions.end()
    for (const { context } of this.#calls.keys()) context.abort()
  }

  #closed(code: number): void {
    const { dependencies, log, share } = this.#options
    this.#closeCode ??= code
    this.#end()
    this.#inbox.end()
    share.close()
    this.#options.memory.release()
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

function isInvalid(item: RpcItem): item is InvalidItem {
  return 'failure' in item
}

const slowReason = 'client reads too slowly'
