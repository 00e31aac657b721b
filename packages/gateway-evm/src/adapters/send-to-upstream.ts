import type { CancellationSignal } from '@fairlead/http1'
import { type Completion, promised, settleWith } from '@fairlead/gateway-core/completion'
import type { Call } from '../rpc-call.ts'
import { rpcCodes } from '../rpc-codes.ts'
import { callText, stringifyParams } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { ResolvedMethod } from '../methods/resolve-method.ts'
import type { Adapter, PartAsking } from './adapter.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-budget'
import type { Sendable } from '../cache/request-coalescer.ts'
import { beginsWithError, isBufferedError } from '../upstream/peek-response.ts'
import { readResult, toRpcResponse, readResponse } from '../upstream/read-response.ts'
import type { RpcResponse } from '../rpc-response.ts'
import { rewriteResponse } from '../upstream/rewrite-response.ts'
import { isUpstreamResponse, type UpstreamResponse } from '../upstream/upstream-response.ts'
import type { CallInfo, Upstream } from '../upstream/types.ts'

/**
 * Sends a call through its adapter, if it has one, or directly to the upstream.
 *
 * The request envelope is always serialized again. Upstreams interpret duplicate keys and keys in another case
 * differently, and the method that was checked here must be the one that runs there.
 *
 * @param call - the call
 * @param destination - the resolved method
 * @param upstream - receives the call
 * @param minBlock - number of a block that the responding upstream must have
 * @param completion - receives the upstream's own response only when it begins like a result, or an error that
 * `toRpcError` maps
 */
export function sendToUpstream(
  call: Call,
  destination: ResolvedMethod,
  upstream: Upstream,
  minBlock: number | undefined,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const { adapter } = destination
  if (adapter) settleWith(adapted(call, destination, adapter, upstream, minBlock), completion)
  else post(call, destination, upstream, minBlock, completion)
}

async function adapted(
  call: Call,
  destination: ResolvedMethod,
  adapter: Adapter,
  upstream: Upstream,
  minBlock: number | undefined,
): Promise<RpcResponse | UpstreamResponse> {
  const { params } = destination
  const made = await adapter.answer?.(call, params, upstream)
  if (made !== undefined) return { result: JSON.stringify(made) }
  const asked = await adapter.ask?.(call, params, upstream)
  const question =
    asked === undefined ? destination : { ...destination, params: asked, paramsText: stringifyParams(asked) }
  const whole = () =>
    promised<RpcResponse | UpstreamResponse>((completion) =>
      post(call, question, upstream, minBlock, completion),
    )
  if (!adapter.gather) return whole()
  const reservation = upstream.reserve(call.grant.credentialId)
  try {
    const part = partsOf(call, question, upstream, reservation)
    return (
      (await adapter.gather(call, question.params, { upstream, reservation, whole, part })) ?? (await whole())
    )
  } finally {
    reservation.release()
  }
}

/** Requests chunks, each of which may be cached. */
function partsOf(
  call: Call,
  destination: ResolvedMethod,
  upstream: Upstream,
  reservation: Reservation,
): PartAsking['part'] {
  return async (params, minBlock) => {
    const part = { ...destination, adapter: undefined, params, paramsText: stringifyParams(params) }
    const request: Sendable = {
      send: (signal, completion) => post({ ...call, signal }, part, upstream, minBlock, completion),
    }
    const memory = call.answers?.of(upstream, call.grant)
    const asked = await promised<RpcResponse | UpstreamResponse>((completion) => {
      if (memory) memory.answers.part(call, part, request, completion)
      else request.send(call.signal, completion)
    })
    return isUpstreamResponse(asked) ? plainOf(asked, part.method.name, reservation, call.signal) : asked
  }
}

function post(
  call: Call,
  { adapter, method: { name: method }, params, paramsText }: ResolvedMethod,
  upstream: Upstream,
  minBlock: number | undefined,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const { signal, request } = call
  const { idText = '1' } = request
  const isEchoed = nodesEcho(idText)
  const body = callText(method, paramsText, isEchoed ? idText : '1')
  const { batch, grant } = call
  const own = isEchoed ? idText : undefined
  const info: CallInfo = {
    method,
    params,
    minBlock,
    owner: grant.nodeId,
    credentialId: grant.credentialId,
    batch,
    idText: own,
  }
  upstream.send(body, signal, info, {
    resolve: (answer) => {
      const isOrdinary = adapter === undefined && isBufferedError(answer) === false
      if (isOrdinary) completion.resolve(answer)
      else settleWith(translated(answer, { call, adapter, method, params, upstream }), completion)
    },
    reject: (error) => completion.reject(error),
  })
}

/** The request that was sent to an upstream, as needed to process its response. */
interface Translation {
  readonly call: Call
  readonly adapter: Adapter | undefined
  readonly method: string
  readonly params: readonly unknown[]
  readonly upstream: Upstream
}

async function translated(
  answer: UpstreamResponse,
  { call, adapter, method, params, upstream }: Translation,
): Promise<RpcResponse | UpstreamResponse> {
  const { signal } = call
  const held = upstream.reserve(call.grant.credentialId)
  try {
    if (adapter?.transformResult && isWithin(answer, adapter.transformUpTo)) {
      const result = await readResult(answer, { method, reservation: held, signal })
      return { result: JSON.stringify(await adapter.transformResult(result, call, params, upstream)) }
    }
    if (await beginsWithError(answer, signal)) {
      const plain = await plainOf(answer, method, held, signal)
      if (upstream.onRefused && isMissing(plain)) upstream.onRefused(call.grant)
      return plain
    }
    const rewrite = adapter?.rewrite?.(params)
    return rewrite ? rewriteResponse(answer, rewrite) : answer
  } finally {
    held.release()
  }
}

async function plainOf(
  answer: UpstreamResponse,
  method: string,
  reservation: Reservation,
  signal: CancellationSignal,
): Promise<RpcResponse> {
  return toRpcResponse(await readResponse(answer, reservation, signal), method, answer.secrets)
}

/**
 * Whether the upstream does not have the method. The error has already been normalized to the code of the
 * specification.
 */
function isMissing(plain: RpcResponse): boolean {
  if (!('error' in plain) || !plain.error.includes(missingCode)) return false
  const { code } = JSON.parse(plain.error) as { readonly code?: unknown }
  return code === rpcCodes.methodNotFound
}

const missingCode = String(rpcCodes.methodNotFound)

function isWithin({ contentLength }: UpstreamResponse, limit: number | undefined): boolean {
  return limit === undefined || (contentLength !== undefined && Number(contentLength) <= limit)
}

/**
 * Whether upstreams return an id unchanged. They return other ids with fewer digits, as another number, or not at all.
 */
export function nodesEcho(idText: string): boolean {
  return isSmallNumber(idText) || echoed.test(idText)
}

const echoed = /^(?:0|[1-9]\d{0,14}|"[\w .:-]{0,64}")$/

// Most ids are small numbers. This check avoids the regular expression.
function isSmallNumber(text: string): boolean {
  const first = text.charCodeAt(0)
  if (text.length > 9 || !(first > zero && first <= nine)) return false
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < zero || code > nine) return false
  }
  return true
}

const zero = 0x30
const nine = 0x39
