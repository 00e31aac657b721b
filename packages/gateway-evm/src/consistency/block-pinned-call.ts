import { errorIn, type RpcResponse } from '../response/rpc-response.ts'
import { type ErrorObject, toRpcError } from '../response/rpc-errors.ts'
import type { Completion } from '@fairlead/runtime'
import { jsonParts } from '@fairlead/gateway-core/json-rpc/json-parts'
import { rpcCodes } from '../rpc-codes.ts'
import type { ResolvedMethod } from '../methods/resolve-method.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import type { Upstream } from '../upstream/types.ts'
import { latestParam } from './latest-param.ts'

/** A call of a batch, and the number that counts as the latest block for it. */
export interface PinnedCall {
  readonly latest: number
  readonly destination: ResolvedMethod
  readonly upstream: Upstream
  readonly send: (
    destination: ResolvedMethod,
    minBlock: number | undefined,
    completion: Completion<RpcResponse | UpstreamResponse>,
  ) => void
}

// Some upstreams provide the latest state only for the tag.
const unpinned = new WeakMap<Upstream, number>()
const unpinnedMs = 60_000

/**
 * Sends a call with the block number in place of the tag `latest`. If the upstream rejects it, the original call is
 * sent.
 *
 * @param completion - receives the response, or the error of `send`
 */
export function sendPinned(
  { latest, destination, upstream, send }: PinnedCall,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const text = `0x${latest.toString(16)}`
  if (destination.method.name === 'eth_blockNumber') return completion.resolve({ result: `"${text}"` })
  const pinned = (unpinned.get(upstream) ?? 0) < performance.now() ? pinnedTo(text, destination) : undefined
  if (!pinned) return send(destination, undefined, completion)
  const fail = (error: unknown) => completion.reject(error)
  const sendUnpinned = (isLagging: boolean) =>
    send(destination, undefined, {
      resolve: (response) => {
        // A lagging upstream does not have the block yet. The next batch may succeed.
        if (!('error' in response) && !isLagging) unpinned.set(upstream, performance.now() + unpinnedMs)
        completion.resolve(response)
      },
      reject: fail,
    })
  send(pinned, latest, {
    resolve: (response) => {
      const error = errorIn(response)
      // A revert is a result of the contract. It means that the state is available.
      if (error && error.code !== revertCode) sendUnpinned(isUnknownBlock(error))
      else if (lacksBlock(destination.method.name, response)) sendUnpinned(true)
      else completion.resolve(response)
    },
    reject: (error) => {
      if (toRpcError(error)?.status === 200) sendUnpinned(false)
      else fail(error)
    },
  })
}

const readsBlock: ReadonlySet<string> = new Set([
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByNumber',
])

/** Whether the block is missing. During a reorganization, upstreams may briefly not have their latest blocks. */
function lacksBlock(method: string, response: RpcResponse | UpstreamResponse): boolean {
  if (!readsBlock.has(method)) return false
  if (response instanceof UpstreamResponse) return response.isBufferedNull
  return 'result' in response && response.result === 'null'
}

function pinnedTo(block: string, destination: ResolvedMethod): ResolvedMethod | undefined {
  const { params, paramsText } = destination
  const position = latestParam(destination, params)
  if (position === undefined) return undefined
  const param = params[position]
  const isFilter = isRecord(param)
  const replacement = isFilter ? withBounds(param, block) : block
  const parts = jsonParts(paramsText)
  parts[position] = JSON.stringify(replacement)
  return { ...destination, params: params.with(position, replacement), paramsText: `[${parts.join(',')}]` }
}

function withBounds(filter: Readonly<Record<string, unknown>>, block: string) {
  const { fromBlock = 'latest', toBlock = 'latest' } = filter
  const number = (bound: unknown) => (bound === 'latest' ? block : bound)
  return { ...filter, fromBlock: number(fromBlock), toBlock: number(toBlock) }
}

const revertCode = 3

function isUnknownBlock({ code, message }: ErrorObject): boolean {
  return code === rpcCodes.resourceNotFound || unknownBlockWordings.test(String(message))
}

const unknownBlockWordings = /^(?:header|block|header for block) not found|^unknown block\b/i
