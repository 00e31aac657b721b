import type { Logger } from 'pino'
import { asPart } from '../observe/tracing/current-trace.ts'
import type { NodeGrant } from '../grants/node-grant.ts'
import { type Admission, type Admitted, isRefusal } from './admit/admission.ts'
import type { Call } from './call.ts'
import type { Answers } from './forward/answers.ts'
import { forward } from './forward/forward.ts'
import type { Room } from './forward/answer-memory.ts'
import type { UpstreamAnswer } from './forward/upstream-answer.ts'
import type { Upstream } from './forward/upstream.ts'
import type { RpcItem, RpcRequest } from './json-rpc/parse-body.ts'
import { refusedCall } from './json-rpc/refused-call.ts'
import { RpcFailure, rpcCodes } from './json-rpc/rpc-failure.ts'
import { errorText } from './json-rpc/rpc-text.ts'
import { contractMethod } from './route/offered-method.ts'
import { routeMethod } from './route/route-method.ts'

/** What all calls of one HTTP request share. */
export interface CallContext {
  readonly grant: NodeGrant
  readonly endpoint: '' | 'evm'
  readonly upstream: Upstream
  /** Left out for calls that the service makes for itself. */
  readonly admission?: Admission | undefined
  /** Ends when the client goes away or the time is up. */
  readonly signal: AbortSignal
  /** Most blocks that a query for logs may span; any number when it is 0 or left out. */
  readonly maxLogRange?: number | undefined
  /** What earlier answers are remembered with. */
  readonly answers?: Answers | undefined
  /** Given for a batch whose calls depend on the newest block. */
  readonly latest?: Call['latest']
  /** Hears about failures that are this service's fault. */
  readonly log: Logger
}

/** How one call was answered. */
export interface AnsweredCall {
  /** Method of the contract, or `unknown`. */
  readonly method: string
  /** HTTP status for an answer that holds this call alone. */
  readonly status: number
  /** Whole text, or the node's answer that is still to be read; undefined for a notification. */
  readonly content: string | UpstreamAnswer | undefined
  /** When another try of a call that was refused can succeed. */
  readonly retryAfterSeconds?: number | undefined
  /** Gives the call's place back; to be called once the node's answer has been read. */
  readonly leave?: (() => void) | undefined
}

/**
 * Takes one call through the stations behind the door: admit, route, forward. It never throws.
 *
 * @param room - given for a call of a batch: its answer is read whole, and all answers together must fit
 */
export async function answerCall(item: RpcItem, context: CallContext, room?: Room): Promise<AnsweredCall> {
  if ('failure' in item)
    return { method: 'unknown', status: 200, content: errorText(item.idText, item.failure) }
  const method = contractMethod(item.method)?.name ?? 'unknown'
  let place: Admitted | undefined
  let isRead = true
  try {
    const { grant, endpoint, signal, maxLogRange, upstream, admission, answers, latest } = context
    const admitted = admission?.admit(grant, item.method, signal)
    const answer = admitted instanceof Promise ? await asPart('admission', {}, () => admitted) : admitted
    if (answer && isRefusal(answer)) throw refusedCall(answer)
    place = answer
    const destination = routeMethod(item, grant, endpoint)
    const call = { grant, endpoint, request: item, signal, maxLogRange, answers, latest }
    const forwarded = await forward(call, destination, upstream, room)
    if (item.idText !== undefined) {
      if ('text' in forwarded) return { method, status: 200, content: forwarded.text }
      isRead = false
      return { method, status: 200, content: forwarded.answer, leave: place?.leave }
    }
    if ('answer' in forwarded) await forwarded.answer.body.dump()
    return { method, status: 204, content: undefined }
  } catch (error) {
    return failed(method, item, failureOf(error, context.log))
  } finally {
    if (isRead) place?.leave()
  }
}

/** The failure to answer with; anything that is not one already is logged and kept from the caller. */
export function failureOf(error: unknown, log: Logger): RpcFailure {
  if (error instanceof RpcFailure) return error
  log.error({ err: error }, 'node request failed')
  return new RpcFailure(rpcCodes.internalError, 'Internal error.', { status: 500 })
}

function failed(method: string, { idText }: RpcRequest, failure: RpcFailure): AnsweredCall {
  return idText === undefined
    ? { method, status: 204, content: undefined }
    : {
        method,
        status: failure.status,
        content: errorText(idText, failure),
        retryAfterSeconds: failure.retryAfterSeconds,
      }
}
