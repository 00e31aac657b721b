import { type CancellationSignal, settleWith } from '@fairlead/runtime'
import { type Admission, type Permit, isRejection } from '@fairlead/gateway-core/admission/types'
import {
  type CallContext,
  callsPerTurn,
  prepareCall,
  type PreparedCall,
  prepareCalls,
  type HandledCall,
  toResponseError,
} from '../call-handler.ts'
import type { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import type { Upstream } from '../upstream/types.ts'
import type { RpcBody } from '@fairlead/gateway-core/json-rpc/parse-body'
import type { RpcItem, RpcRequest } from '@fairlead/gateway-core/json-rpc/types'
import { freeBytes } from './session-memory.ts'
import { rejectedCall } from '../rejected-call.ts'
import { findMethod } from '../methods/available-methods.ts'
import { unknownPolicy } from '../methods/method-policy.ts'
import type { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { errorText, resultText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { ClientSubscriptions } from '../subscriptions/client-subscriptions.ts'

/** Context that the calls of one WebSocket message share. */
export interface MessageContext extends CallContext {
  /** The getter throws {@link RpcError} when the node has no usable upstream. */
  readonly upstream: Upstream
  readonly admission: Admission
  readonly budget: TickBudget
  readonly subscriptions: ClientSubscriptions
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
  done: (handled: HandledMessage) => void,
): void {
  const [only] = items
  if (batch || !only || isSubscriptionRequest(only)) {
    settleWith(handleItems(batch, items, context), {
      resolve: done,
      reject: (error) => done(messageOf(failed('unknown', 'null', toResponseError(error, context.log)))),
    })
  } else handleSingle(only, context, done)
}

async function handleItems(
  batch: boolean,
  items: readonly RpcItem[],
  context: MessageContext,
): Promise<HandledMessage> {
  const activations: (() => void)[] = []
  const reservations: Reservation[] = []
  const handled = await callItems(items, context, activations, reservations)
  const texts = handled.flatMap(({ content }) => (typeof content === 'string' ? [content] : []))
  const [{ method, status } = { method: 'unknown', status: 200 }] = handled
  const text = texts.length === 0 ? undefined : batch ? `[${texts.join(',')}]` : texts[0]
  return {
    text: text === undefined ? undefined : Buffer.from(text),
    method: batch ? 'batch' : method,
    status: batch ? 200 : status,
    calls: batch ? handled : undefined,
    activate: () => {
      for (const activate of activations) activate()
    },
    release: () => {
      for (const reservation of reservations) reservation.release()
    },
  }
}

/** Responds to a call that is not part of a batch. A buffered response of the upstream is passed through unchanged. */
function handleSingle(item: RpcItem, context: MessageContext, done: (handled: HandledMessage) => void): void {
  try {
    const reservation = context.upstream.reserve(context.grant)
    prepareCall(item, context).begin((handled) => deliverSingle(item, handled, reservation, context, done))
  } catch (error) {
    done(messageOf(failed('unknown', item.idText, toResponseError(error, context.log))))
  }
}

function deliverSingle(
  item: RpcItem,
  handled: HandledCall,
  reservation: Reservation,
  context: MessageContext,
  done: (handled: HandledMessage) => void,
): void {
  const { content, method, status } = handled
  const { idText = 'null' } = item
  // Most responses are ASCII and need neither validation nor conversion to bytes.
  const ascii = typeof content === 'object' ? content.asciiObjectWithId(idText) : undefined
  const isReserved = ascii !== undefined && ascii.length > freeBytes
  const failure = isReserved ? reservation.tryTake(ascii.length) : undefined
  if (ascii !== undefined && !failure) {
    handled.release?.()
    done({ text: ascii, method, status, activate: noop, release: () => reservation.release() })
  } else if (content === undefined) done(messageOf(handled))
  else {
    const buffered = failure
      ? Promise.reject(failure)
      : readInto(reservation, handled, idText, context.signal)
    settleWith(
      buffered.finally(() => handled.release?.()),
      {
        resolve: (text) =>
          done({ text, method, status, activate: noop, release: () => reservation.release() }),
        reject: (error) => {
          reservation.release()
          done(messageOf(failed(method, item.idText, toResponseError(error, context.log))))
        },
      },
    )
  }
}

/** Returns the message for a call whose response is a string and is not counted in a memory reservation. */
function messageOf({ content, method, status }: HandledCall): HandledMessage {
  const text = typeof content === 'string' ? Buffer.from(content) : undefined
  return { text, method, status, activate: noop, release: noop }
}

const noop = () => undefined

/** Buffers a response completely, because a WebSocket message cannot be aborted midway. */
async function readInto(
  reservation: Reservation,
  { content = '', method, status }: HandledCall,
  idText: string,
  signal: CancellationSignal,
): Promise<Buffer> {
  if (typeof content === 'string') {
    // Errors are short, and must be delivered even when the memory budget is exhausted.
    if (status === 200) reservation.take(content.length)
    return Buffer.from(content)
  }
  // The client would have to close the connection on invalid UTF-8.
  return content.readUtf8(idText, { method, reservation, signal })
}

async function callItems(
  items: readonly RpcItem[],
  context: MessageContext,
  activations: (() => void)[],
  reservations: Reservation[],
): Promise<readonly HandledCall[]> {
  try {
    const { grant } = context
    const reservation = context.upstream.reserve(grant)
    reservations.push(reservation)
    const calls = prepareCalls(items, context, reservation)
    const pending: Promise<HandledCall>[] = []
    for (let start = 0; start < items.length; start += callsPerTurn) {
      const turn = items.slice(start, start + callsPerTurn)
      await new Promise<void>((resolve) => context.budget.run(grant, turn.length, resolve))
      for (const [at, item] of turn.entries()) {
        const call = calls[start + at] as PreparedCall
        pending.push(
          isSubscriptionRequest(item)
            ? handleSubscription(item, context, activations)
            : new Promise((resolve) => call.begin(resolve)),
        )
      }
    }
    return await Promise.all(pending)
  } catch (error) {
    const failure = toResponseError(error, context.log)
    return items.map(({ idText }) => failed('unknown', idText, failure))
  }
}

function isSubscriptionRequest(item: RpcItem): item is RpcRequest {
  return !('failure' in item) && (item.method === 'eth_subscribe' || item.method === 'eth_unsubscribe')
}

async function handleSubscription(
  { method, params, idText }: RpcRequest,
  context: MessageContext,
  activations: (() => void)[],
): Promise<HandledCall> {
  // Without an id, the client could not match the notifications to the subscription.
  if (idText === undefined) return { method, status: 204, content: undefined }
  const { subscriptions, admission, grant, signal } = context
  let permit: Permit | undefined
  try {
    const { cost } = findMethod(method)?.policy ?? unknownPolicy
    const admitted = await admission.admit(grant, method, cost, signal)
    if (isRejection(admitted)) throw rejectedCall(admitted)
    permit = admitted
    if (method === 'eth_unsubscribe') {
      return { method, status: 200, content: resultText(idText, `${subscriptions.unsubscribe(params)}`) }
    }
    const { id, activate } = await subscriptions.subscribe(params)
    activations.push(activate)
    return { method, status: 200, content: resultText(idText, `"${id}"`) }
  } catch (error) {
    return failed(method, idText, toResponseError(error, context.log))
  } finally {
    permit?.release()
  }
}

function failed(method: string, idText: string | undefined, failure: RpcError): HandledCall {
  return idText === undefined
    ? { method, status: 204, content: undefined }
    : { method, status: failure.status, content: errorText(idText, failure) }
}
