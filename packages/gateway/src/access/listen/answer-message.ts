import { isUtf8 } from 'node:buffer'
import type { Logger } from 'pino'
import type { NodeGrant } from '../../grants/node-grant.ts'
import { type Admission, type Admitted, isRefusal } from '../admit/admission.ts'
import { type AnsweredCall, answerCall, failureOf } from '../answer-call.ts'
import type { Room } from '../forward/answer-memory.ts'
import type { Answers } from '../forward/answers.ts'
import { latestOfBatch } from '../forward/consistency/latest-of-batch.ts'
import { answerText } from '../forward/read-answer.ts'
import type { Upstreams } from '../forward/upstreams.ts'
import type { RpcBody, RpcItem, RpcRequest } from '../json-rpc/parse-body.ts'
import { refusedCall } from '../json-rpc/refused-call.ts'
import type { RpcFailure } from '../json-rpc/rpc-failure.ts'
import { errorText, resultText } from '../json-rpc/rpc-text.ts'
import type { ClientSubscriptions } from '../forward/subscribe/client-subscriptions.ts'
import type { NodePath } from './node-path.ts'

/** What the calls of one WebSocket message share. */
export interface MessageContext {
  readonly upstreams: Upstreams
  readonly admission: Admission
  readonly grant: NodeGrant
  readonly endpoint: NodePath['endpoint']
  readonly subscriptions: ClientSubscriptions
  readonly signal: AbortSignal
  readonly maxLogRange: number
  readonly answers?: Answers | undefined
  readonly log: Logger
}

/** How a message was answered. */
export interface AnsweredMessage {
  /** Text in UTF-8; undefined when the message held notifications only. */
  readonly bytes: Buffer | undefined
  /** Lets the notifications of new subscriptions go; to be called once the answer is on its way. */
  activate(): void
  /** Makes room for other answers; to be called once the answer has left. */
  release(): void
  /** Method of the contract, `batch`, or `unknown`. */
  readonly method: string
  /** HTTP status that the same answer would have over HTTP. */
  readonly status: number
  /** The calls of a batch. */
  readonly calls?: readonly AnsweredCall[] | undefined
}

/** Takes the calls of one message through the stations behind the door, or to the subscriptions. It never throws. */
export async function answerMessage(
  { batch, items }: RpcBody,
  context: MessageContext,
): Promise<AnsweredMessage> {
  const told: (() => void)[] = []
  const rooms: Room[] = []
  const [only] = items
  const answered =
    batch || !only || isForSubscriptions(only)
      ? await answerTogether(batch, items, context, told, rooms)
      : await answerAlone(only, context, rooms)
  return {
    ...answered,
    activate: () => {
      for (const activate of told) activate()
    },
    release: () => {
      for (const room of rooms) room.empty()
    },
  }
}

type Answered = Omit<AnsweredMessage, 'activate' | 'release'>

async function answerTogether(
  batch: boolean,
  items: readonly RpcItem[],
  context: MessageContext,
  told: (() => void)[],
  rooms: Room[],
): Promise<Answered> {
  const answered = await answerItems(items, context, told, rooms)
  const texts = answered.flatMap(({ content }) => (typeof content === 'string' ? [content] : []))
  const [{ method, status } = { method: 'unknown', status: 200 }] = answered
  const text = texts.length === 0 ? undefined : batch ? `[${texts.join(',')}]` : texts[0]
  return {
    bytes: text === undefined ? undefined : Buffer.from(text),
    method: batch ? 'batch' : method,
    status: batch ? 200 : status,
    calls: batch ? answered : undefined,
  }
}

/** Answers a call that is no part of a batch: what came whole from the node is passed on as it is. */
async function answerAlone(item: RpcItem, context: MessageContext, rooms: Room[]): Promise<Answered> {
  let answered: AnsweredCall | undefined
  try {
    const upstream = context.upstreams.of(context.grant, 'evm')
    const room = upstream.room()
    rooms.push(room)
    answered = await answerCall(item, { ...context, upstream })
    const { content, method, status } = answered
    if (content === undefined) return { bytes: undefined, method, status }
    return { bytes: await readInto(room, answered, item, context.signal), method, status }
  } catch (error) {
    const failure = failureOf(error, context.log)
    const { content, method, status } = failed(answered?.method ?? 'unknown', item.idText, failure)
    return { bytes: typeof content === 'string' ? Buffer.from(content) : undefined, method, status }
  } finally {
    answered?.leave?.()
  }
}

/** Holds an answer whole, as a WebSocket has no frames that could break off. */
async function readInto(
  room: Room,
  { content = '', method, status }: AnsweredCall,
  { idText = 'null' }: RpcItem,
  signal: AbortSignal,
): Promise<Buffer> {
  if (typeof content === 'string') {
    // Failures are short, and have to get through when there is no room.
    if (status === 200) room.take(content.length)
    return Buffer.from(content)
  }
  const { bytes } = content
  // The client would have to end the connection for a text that is none.
  if (!bytes || bytes[0] !== openBrace || !isUtf8(bytes)) {
    return Buffer.from(await answerText(content, { method, idText, room, signal }))
  }
  room.take(bytes.length)
  return bytes
}

const openBrace = 0x7b

async function answerItems(
  items: readonly RpcItem[],
  context: MessageContext,
  told: (() => void)[],
  rooms: Room[],
): Promise<readonly AnsweredCall[]> {
  try {
    const upstream = context.upstreams.of(context.grant, 'evm')
    const room = upstream.room()
    rooms.push(room)
    const callContext = { ...context, upstream, latest: latestOfBatch(items, { ...context, upstream }) }
    const answers = items.map((item) =>
      isForSubscriptions(item)
        ? answerSubscription(item, context, told)
        : answerCall(item, callContext, room),
    )
    return await Promise.all(answers)
  } catch (error) {
    const failure = failureOf(error, context.log)
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
): Promise<AnsweredCall> {
  // Nobody could tell what the notifications belong to.
  if (idText === undefined) return { method, status: 204, content: undefined }
  let place: Admitted | undefined
  try {
    const admitted = await admission.admit(grant, method, signal)
    if (isRefusal(admitted)) throw refusedCall(admitted)
    place = admitted
    if (method === 'eth_unsubscribe') {
      return { method, status: 200, content: resultText(idText, `${subscriptions.unsubscribe(params)}`) }
    }
    const { id, activate } = await subscriptions.subscribe(params)
    told.push(activate)
    return { method, status: 200, content: resultText(idText, `"${id}"`) }
  } catch (error) {
    return failed(method, idText, failureOf(error, log))
  } finally {
    place?.leave()
  }
}

function failed(method: string, idText: string | undefined, failure: RpcFailure): AnsweredCall {
  return idText === undefined
    ? { method, status: 204, content: undefined }
    : { method, status: failure.status, content: errorText(idText, failure) }
}
