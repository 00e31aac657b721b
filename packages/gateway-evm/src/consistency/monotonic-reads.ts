import type { RpcResponse } from '../rpc-response.ts'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { toRpcError } from '../upstream/rpc-errors.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { type Completion, settleWith } from '@fairlead/gateway-core/completion'
import type { CancellationSignal } from '@fairlead/http1'
import type { Call } from '../rpc-call.ts'
import { callText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { ResolvedMethod } from '../methods/resolve-method.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import type { ResponseCaches } from '../cache/caches.ts'
import { isUpstreamResponse, type UpstreamResponse } from '../upstream/upstream-response.ts'
import { blockNumberOf } from '../cache/block-of-call.ts'
import { readResult } from '../upstream/read-response.ts'
import type { Upstream } from '../upstream/types.ts'

// During a reorganization, an upstream may briefly not have the new blocks.
const mostLooks = 4
const betweenLooksMs = 50

/** Sends the call to the upstream again. */
type Ask = (destination: ResolvedMethod, minBlock: number) => Promise<RpcResponse | UpstreamResponse>

/** Whether a call requests the latest block. */
export function asksForHead({ method: { name }, params }: ResolvedMethod): boolean {
  return name === 'eth_blockNumber' || (name === 'eth_getBlockByNumber' && params[0] === 'latest')
}

/**
 * Makes reads of the latest block monotonic per credential: one URL may lead to several upstreams that do not lag
 * equally. The number decreases only after no upstream has had the higher block for ten seconds. The chain is then
 * considered shorter.
 *
 * @param call - a call for which {@link asksForHead} is true
 * @param destination - the resolved method of the call
 * @param asked - response of the upstream
 * @param ask - sends the call again, to an upstream that has a given block if there is one
 * @param completion - receives the same response, or a higher one
 */
export function monotonicReads(
  call: Call,
  destination: ResolvedMethod,
  asked: RpcResponse | UpstreamResponse,
  parts: HeadParts,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const { answers, upstream } = parts
  const { chain } = answers.of(upstream, call.grant)
  const { credentialId } = call.grant
  const number = headIn(asked)
  if (number === undefined || !chain.isLasting) return completion.resolve(asked)
  const show = (shown: number) => {
    chain.observe(shown)
    answers.heads.show(credentialId, shown)
  }
  const better = (floor: number) =>
    settleWith(higherHead(call, destination, asked, { ...parts, floor, show }), completion)
  const settle = (shared = -1) => {
    // Read last, because other calls may have raised it meanwhile.
    const floor = Math.max(answers.heads.floor(credentialId), shared)
    if (number < floor) return better(floor)
    show(number)
    completion.resolve(asked)
  }
  const believe = () => {
    if (!answers.sharedHeads.isUp) return settle()
    settleWith(answers.sharedHeads.raise(credentialId, number), { resolve: settle, reject: () => settle() })
  }
  if (!chain.doubts(number)) return believe()
  settleWith(hasBlock(upstream, number, call.signal), {
    resolve: (isThere) => {
      if (isThere) believe()
      else better(Math.max(answers.heads.floor(credentialId), chain.latest ?? -1))
    },
    reject: (error) => {
      leave(asked)
      completion.reject(error)
    },
  })
}

/** Whether any upstream has the block with this number, as opposed to only reporting the number. */
async function hasBlock(upstream: Upstream, number: number, signal: CancellationSignal): Promise<boolean> {
  const method = 'eth_getBlockByNumber'
  const params = [`0x${number.toString(16)}`, false]
  const body = callText(method, JSON.stringify(params), '1')
  const answer = await upstream.post(body, signal, { method, params, minBlock: number })
  const reservation = upstream.reserve()
  try {
    const block = await readResult(answer, { method, reservation, signal })
    return isRecord(block) && blockNumberOf(block['number']) === number
  } catch (error) {
    if (error instanceof UpstreamError || !toRpcError(error)) throw error
    return false
  } finally {
    reservation.release()
  }
}

/** Dependencies of {@link monotonicReads}. */
interface HeadParts {
  readonly answers: ResponseCaches
  readonly upstream: Upstream
  readonly ask: Ask
}

/** Searches for a response that is not below the high-water mark of the credential. */
async function higherHead(
  call: Call,
  destination: ResolvedMethod,
  asked: RpcResponse | UpstreamResponse,
  {
    answers,
    upstream,
    ask,
    floor,
    show,
  }: HeadParts & { readonly floor: number; readonly show: (shown: number) => void },
): Promise<RpcResponse | UpstreamResponse> {
  const { chain } = answers.of(upstream, call.grant)
  const again = await orLeave(asked, ask(destination, floor))
  const better = headIn(again) ?? -1
  if (better >= floor && !chain.doubts(better)) {
    leave(asked)
    show(better)
    void answers.sharedHeads.raise(call.grant.credentialId, better)
    return again
  }
  leave(again)
  if (better < floor) answers.heads.miss(call.grant.credentialId)
  const text = `0x${floor.toString(16)}`
  if (destination.method.name === 'eth_blockNumber') {
    leave(asked)
    return { result: `"${text}"` }
  }
  const params = [text, ...destination.params.slice(1)]
  const told = { ...destination, params, paramsText: JSON.stringify(params) }
  for (let look = 0; look < mostLooks; look += 1) {
    if (look > 0) await pause(betweenLooksMs)
    const block = await orLeave(asked, ask(told, floor))
    if (headIn(block) === floor) {
      leave(asked)
      return block
    }
    leave(block)
  }
  return asked
}

/**
 * Returns the block number in a response. In a large response it is near the beginning, which has arrived. The response
 * can still be read afterwards.
 */
function headIn(asked: RpcResponse | UpstreamResponse): number | undefined {
  if (!isUpstreamResponse(asked)) return 'result' in asked ? numberIn(asked.result) : undefined
  const { latin1 } = asked
  if (latin1 !== undefined) return numberIn(latin1)
  const { bytes } = asked
  if (bytes) return numberIn(bytes.toString('latin1'))
  const { body } = asked
  const first = body.read() as Buffer | null
  if (!first) return undefined
  body.unshift(first)
  return numberIn(first.subarray(0, longestHead).toString('latin1'))
}

// Exceeds the length of a header and the envelope before it. The transactions follow.
const longestHead = 16_384

function numberIn(text: string): number | undefined {
  const written = /"(?:number|result)"\s*:\s*("0x[0-9a-f]{1,13}")/i.exec(text)?.[1] ?? text
  return blockNumberOf(/^\s*"(0x[0-9a-f]+)"\s*$/i.exec(written)?.[1])
}

/** Waits for another response. If it fails, the first response is discarded. */
function orLeave(
  asked: RpcResponse | UpstreamResponse,
  again: Promise<RpcResponse | UpstreamResponse>,
): Promise<RpcResponse | UpstreamResponse> {
  return again.catch((error: unknown) => {
    leave(asked)
    throw error
  })
}

function leave(asked: RpcResponse | UpstreamResponse): void {
  if (isUpstreamResponse(asked)) asked.body.destroy()
}
