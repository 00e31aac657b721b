import { isUtf8 } from 'node:buffer'
import type { Logger } from 'pino'
import type { CancellationSignal } from '@fairlead/http1'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { type Admission, type Permit, isRejection } from '@fairlead/gateway-core/admission/types'
import { type HandledCall, answerCall, beginCall, toResponseError } from '../call-handler.ts'
import { settleWith } from '@fairlead/gateway-core/completion'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-budget'
import type { ResponseCaches } from '../cache/caches.ts'
import { batchLatestBlock } from '../consistency/batch-latest-block.ts'
import { readUnderId } from '../upstream/read-response.ts'
import type { Upstream } from '../upstream/types.ts'
import type { RpcBody } from '@fairlead/gateway-core/json-rpc/parse-body'
import type { RpcItem, RpcRequest } from '@fairlead/gateway-core/json-rpc/types'
import { rejectedCall } from '../rejected-call.ts'
import type { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { errorText, resultText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { ClientSubscriptions } from '../subscriptions/client-subscriptions.ts'
import type { RpcEndpoint } from '../http/rpc-routes.ts'

/** Context that the calls of one WebSocket message share. */
export interface MessageContext {
  /** The getter throws {@link RpcError} when the node has no usable upstream. */
  readonly upstream: Upstream
  readonly admission: Admission
  readonly grant: Grant
  readonly endpoint: RpcEndpoint
  readonly subscriptions: ClientSubscriptions
  readonly signal: CancellationSignal
  readonly maxLogRange: number
  readonly answers?: ResponseCaches | undefined
  readonly log: Logger
}

/** The response to a message. */
export interface HandledMessage {
  /** Bytes in UTF-8, or an ASCII string. Undefined when the message contained only notifications. */
  readonly text: Buffer | string | undefined
  /** Releases the notifications of new subscriptions. Call it after the response has been queued. */
  activate(): void
  /** Releases the memory of the response. Call it after the response has been sent. */
  release(): void
  /** Method name in the specification, `batch`, or `unknown`. */
  readonly method: string
  /** HTTP status that the same response would have over HTTP. */
  readonly status: number
  /** The calls of a batch. */
  readonly calls?: readonly HandledCall[] | undefined
}

/**
 * Runs the calls of one message through admission and dispatch, or through the subscriptions. Never throws.
 *
 * @param done - called once with the response, possibly synchronously
 */
export function handleMessage(
  { batch, items }: RpcBody,
  context: MessageContext,
  done: (answered: HandledMessage) => void,
): void {
  const [only] = items
  if (batch || !only || isForSubscriptions(only)) {
    settleWith(answerTogether(batch, items, context), {
      resolve: done,
      reject: (error) => done(messageOf(failed('unknown', 'null', toResponseError(error, context.log)))),
    })
  } else answerAlone(only, context, done)
}

async function answerTogether(
  batch: boolean,
  items: readonly RpcItem[],
  context: MessageContext,
): Promise<HandledMessage> {
  const told: (() => void)[] = []
  const reservations: Reservation[] = []
  const answered = await answerItems(items, context, told, reservations)
  const texts = answered.flatMap(({ content }) => (typeof content === 'string' ? [content] : []))
  const [{ method, status } = { method: 'unknown', status: 200 }] = answered
  const text = texts.length === 0 ? undefined : batch ? `[${texts.join(',')}]` : texts[0]
  return {
    text: text === undefined ? undefined : Buffer.from(text),
    method: batch ? 'batch' : method,
    status: batch ? 200 : status,
    calls: batch ? answered : undefined,
    activate: () => {
      for (const activate of told) activate()
    },
    release: () => {
      for (const reservation of reservations) reservation.release()
    },
  }
}

/** Responds to a call that is not part of a batch. A buffered response of the upstream is passed through unchanged. */
function answerAlone(item: RpcItem, context: MessageContext, done: (answered: HandledMessage) => void): void {
  try {
    const reservation = context.upstream.reserve(context.grant.credentialId)
    beginCall(item, context, (answered) => tellAlone(item, answered, reservation, context, done))
  } catch (error) {
    done(messageOf(failed('unknown', item.idText, toResponseError(error, context.log))))
  }
}

function tellAlone(
  item: RpcItem,
  answered: HandledCall,
  reservation: Reservation,
  { signal, log }: MessageContext,
  done: (answered: HandledMessage) => void,
): void {
  const { content, method, status } = answered
  const latin1 = typeof content === 'object' ? content.latin1 : undefined
  // Most responses are ASCII and need neither validation nor conversion to bytes.
  const isPlain = latin1?.charCodeAt(0) === openBrace && isAscii(latin1)
  const failure = isPlain ? reservation.tryTake(latin1.length) : undefined
  if (isPlain && !failure) {
    answered.release?.()
    done({ text: latin1, method, status, activate: nothing, release: () => reservation.release() })
  } else if (content === undefined) done(messageOf(answered))
  else {
    const held = failure ? Promise.reject(failure) : readInto(reservation, answered, item, signal)
    settleWith(
      held.finally(() => answered.release?.()),
      {
        resolve: (text) =>
          done({ text, method, status, activate: nothing, release: () => reservation.release() }),
        reject: (error) => {
          reservation.release()
          done(messageOf(failed(method, item.idText, toResponseError(error, log))))
        },
      },
    )
  }
}

/** Returns the message for a call whose response is a string and is not counted in a memory reservation. */
function messageOf({ content, method, status }: HandledCall): HandledMessage {
  const text = typeof content === 'string' ? Buffer.from(content) : undefined
  return { text, method, status, activate: nothing, release: nothing }
}

const nothing = () => undefined

/** In UTF-8, only ASCII text has one byte per character. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

/** Buffers a response completely, because a WebSocket message cannot be aborted midway. */
async function readInto(
  reservation: Reservation,
  { content = '', method, status }: HandledCall,
  { idText = 'null' }: RpcItem,
  signal: CancellationSignal,
): Promise<Buffer> {
  if (typeof content === 'string') {
    // Errors are short, and must be delivered even when the memory budget is exhausted.
    if (status === 200) reservation.take(content.length)
    return Buffer.from(content)
  }
  const { bytes } = content
  // The client would have to close the connection on invalid UTF-8.
  if (!bytes || bytes[0] !== openBrace || !isUtf8(bytes)) {
    return Buffer.from(await readUnderId(content, { method, idText, reservation, signal }))
  }
  reservation.take(bytes.length)
  return bytes
}

const openBrace = 0x7b

async function answerItems(
  items: readonly RpcItem[],
  context: MessageContext,
  told: (() => void)[],
  reservations: Reservation[],
): Promise<readonly HandledCall[]> {
  try {
    const { grant, endpoint, upstream, signal, maxLogRange, admission, answers, log } = context
    const reservation = upstream.reserve(grant.credentialId)
    reservations.push(reservation)
    const shared = { grant, endpoint, upstream, signal, maxLogRange, admission, answers, log }
    const callContext = { ...shared, batch: items, latest: batchLatestBlock(items, shared) }
    const answering = items.map((item) =>
      isForSubscriptions(item)
        ? answerSubscription(item, context, told)
        : answerCall(item, callContext, reservation),
    )
    return await Promise.all(answering)
  } catch (error) {
    const failure = toResponseError(error, context.log)
    return items.map(({ idText }) => failed('unknown', idText, failure))
  }
}

function isForSubscriptions(item: RpcItem): item is RpcRequest {
  return !('failure' in item) && (item.method === 'eth_subscribe' || item.method === 'eth_unsubscribe')
}

async function answerSubscription(
  { method, params, idText }: RpcRequest,
  { subscriptions, log, admission, grant, signal }: MessageContext,
  told: (() => void)[],
): Promise<HandledCall> {
  // Without an id, the client could not match the notifications to the subscription.
  if (idText === undefined) return { method, status: 204, content: undefined }
  let place: Permit | undefined
  try {
    const admitted = await admission.admit(grant, method, signal)
    if (isRejection(admitted)) throw rejectedCall(admitted)
    place = admitted
    if (method === 'eth_unsubscribe') {
      return { method, status: 200, content: resultText(idText, `${subscriptions.unsubscribe(params)}`) }
    }
    const { id, activate } = await subscriptions.subscribe(params)
    told.push(activate)
    return { method, status: 200, content: resultText(idText, `"${id}"`) }
  } catch (error) {
    return failed(method, idText, toResponseError(error, log))
  } finally {
    place?.release()
  }
}

function failed(method: string, idText: string | undefined, failure: RpcError): HandledCall {
  return idText === undefined
    ? { method, status: 204, content: undefined }
    : { method, status: failure.status, content: errorText(idText, failure) }
}
