import type { RpcResponse } from '../response/rpc-response.ts'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { toRpcError } from '../response/rpc-errors.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { type Completion, promised, settleWith } from '@fairlead/runtime'
import type { ResolvedCall } from '../methods/resolve-method.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import type { ResponseCaches } from '../cache/caches.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'
import { blockNumberOf } from '../cache/block-of-call.ts'
import { sendToUpstream } from '../upstream/send-to-upstream.ts'
import { ownCall } from '../upstream/own-call.ts'
import { headIn } from './latest-block.ts'

// During a reorganization, an upstream may briefly not have the new blocks.
const maxAttempts = 4
const attemptIntervalMs = 50

/**
 * Makes reads of the latest block monotonic per credential: one URL may lead to several upstreams that do not lag
 * equally. The number decreases only after no upstream has had the higher block for ten seconds. The chain is then
 * considered shorter.
 *
 * @param call - a call for which `readsLatestBlock` is true
 * @param response - response of the upstream
 * @param caches - the high-water marks
 * @param completion - receives the same response, or a higher one
 */
export function monotonicReads(
  call: ResolvedCall,
  response: RpcResponse | UpstreamResponse,
  caches: ResponseCaches<ResolvedCall>,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const { upstream, grant } = call
  const { chain } = caches.of(upstream, grant)
  const { credentialId } = grant
  const number = headIn(response)
  const { chainKey } = chain
  const version = upstream.list?.version
  // The upstreams of a call that began before a change may be on another chain.
  if (number === undefined || chainKey === undefined || !chain.isCurrent(version))
    return completion.resolve(response)
  const record = (received: number) => {
    if (chain.isCurrent(version)) chain.observe(received)
    caches.heads.record(credentialId, chainKey, received)
  }
  const findHigher = (mark: number) =>
    settleWith(higherHead(call, response, { caches, chainKey, highWaterMark: mark, record }), completion)
  const settle = (shared = -1) => {
    // Read last, because other calls may have raised it meanwhile.
    const highWaterMark = Math.max(caches.heads.highWaterMark(credentialId, chainKey), shared)
    if (number < highWaterMark) return findHigher(highWaterMark)
    record(number)
    completion.resolve(response)
  }
  const accept = () => {
    if (!caches.sharedHeads.isUp) return settle()
    settleWith(caches.sharedHeads.raise(credentialId, chainKey, number), {
      resolve: settle,
      reject: () => settle(),
    })
  }
  if (!chain.doubts(number)) return accept()
  settleWith(hasBlock(number, call), {
    resolve: (exists) => {
      if (exists) accept()
      else findHigher(Math.max(caches.heads.highWaterMark(credentialId, chainKey), chain.latest ?? -1))
    },
    reject: (error) => {
      discard(response)
      completion.reject(error)
    },
  })
}

/** Whether any upstream has the block with this number, as opposed to only reporting the number. */
async function hasBlock(number: number, { upstream, grant, signal }: ResolvedCall): Promise<boolean> {
  const method = 'eth_getBlockByNumber'
  const params = [`0x${number.toString(16)}`, false]
  const response = await upstream.post({ ...ownCall(method, params, signal), minBlock: number, grant })
  const reservation = upstream.reserve()
  try {
    const block = await response.readResult({ method, reservation, signal })
    return isRecord(block) && blockNumberOf(block['number']) === number
  } catch (error) {
    if (error instanceof UpstreamError || !toRpcError(error)) throw error
    return false
  } finally {
    reservation.release()
  }
}

/** Dependencies of {@link higherHead}. */
interface HigherHeadContext {
  readonly caches: ResponseCaches<ResolvedCall>
  /** Key of the chain. */
  readonly chainKey: string
  readonly highWaterMark: number
  readonly record: (received: number) => void
}

/** Searches for a response that is not below the high-water mark of the credential. */
async function higherHead(
  given: ResolvedCall,
  response: RpcResponse | UpstreamResponse,
  { caches, chainKey, highWaterMark, record }: HigherHeadContext,
): Promise<RpcResponse | UpstreamResponse> {
  const call = { ...given, minBlock: highWaterMark }
  const { chain } = caches.of(call.upstream, call.grant)
  // resend: higher head
  const retried = await orDiscard(response, resend(call))
  const higher = headIn(retried) ?? -1
  if (higher >= highWaterMark && !chain.doubts(higher)) {
    discard(response)
    record(higher)
    void caches.sharedHeads.raise(call.grant.credentialId, chainKey, higher)
    return retried
  }
  discard(retried)
  if (higher < highWaterMark) caches.heads.miss(call.grant.credentialId, chainKey)
  const text = `0x${highWaterMark.toString(16)}`
  if (call.method === 'eth_blockNumber') {
    discard(response)
    return { result: `"${text}"` }
  }
  const params = [text, ...call.params.slice(1)]
  const pinned = { ...call, params, paramsText: JSON.stringify(params) }
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (attempt > 0) await pause(attemptIntervalMs)
    // resend: block of the high-water mark
    const block = await orDiscard(response, resend(pinned))
    if (headIn(block) === highWaterMark) {
      discard(response)
      return block
    }
    discard(block)
  }
  return response
}

/** Sends a call again, to an upstream that has its block if there is one. */
function resend(call: ResolvedCall): Promise<RpcResponse | UpstreamResponse> {
  return promised((completion) => sendToUpstream(call, call.signal, completion))
}

/** Waits for another response. If it fails, the first response is discarded. */
function orDiscard(
  response: RpcResponse | UpstreamResponse,
  retried: Promise<RpcResponse | UpstreamResponse>,
): Promise<RpcResponse | UpstreamResponse> {
  return retried.catch((error: unknown) => {
    discard(response)
    throw error
  })
}

function discard(response: RpcResponse | UpstreamResponse): void {
  if (response instanceof UpstreamResponse) response.cancel()
}
