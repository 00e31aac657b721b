import { errorIn, type RpcResponse } from '../response/rpc-response.ts'
import { type ErrorObject, toRpcError } from '../response/rpc-errors.ts'
import type { Completion } from '@fairlead/runtime'
import { jsonParts } from '@fairlead/gateway-core/json-rpc/json-parts'
import { rpcCodes } from '../rpc-codes.ts'
import type { ResolvedCall } from '../methods/resolve-method.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import type { Upstream } from '../upstream/types.ts'
import { latestParam } from './latest-param.ts'

/** Sends the call of a batch, with or without a block number in place of the tag. */
export type SendPinned = (call: ResolvedCall, completion: Completion<RpcResponse | UpstreamResponse>) => void

// Some upstreams provide the latest state only for the tag.
const unpinned = new WeakMap<Upstream, number>()
const unpinnedMs = 60_000

/**
 * Sends a call with the block number in place of the tag `latest`. If the upstream rejects it, the original call is
 * sent.
 *
 * @param call - a call of a batch
 * @param latest - the number that counts as the latest block for it
 * @param send - sends the call
 * @param completion - receives the response, or the error of `send`
 */
export function sendPinned(
  call: ResolvedCall,
  latest: number,
  send: SendPinned,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const { method, upstream } = call
  const block = `0x${latest.toString(16)}`
  if (method === 'eth_blockNumber') return completion.resolve({ result: `"${block}"` })
  const isPinnable = (unpinned.get(upstream) ?? 0) < performance.now()
  const pinned = isPinnable ? pinnedTo(block, latest, call) : undefined
  if (!pinned) return send(call, completion)
  const fail = (error: unknown) => completion.reject(error)
  const sendUnpinned = (isLagging: boolean) =>
    send(call, {
      resolve: (response) => {
        // A lagging upstream does not have the block yet. The next batch may succeed.
        if (!('error' in response) && !isLagging) unpinned.set(upstream, performance.now() + unpinnedMs)
        completion.resolve(response)
      },
      reject: fail,
    })
  send(pinned, {
    resolve: (response) => {
      const error = errorIn(response)
      // A revert is a result of the contract. It means that the state is available.
      if (error && error.code !== revertCode) sendUnpinned(isUnknownBlock(error))
      else if (lacksBlock(method, response)) sendUnpinned(true)
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

function pinnedTo(block: string, minBlock: number, call: ResolvedCall): ResolvedCall | undefined {
  const { found, params, paramsText } = call
  const position = latestParam(found, params)
  if (position === undefined) return undefined
  const param = params[position]
  const isFilter = isRecord(param)
  const replacement = isFilter ? withBounds(param, block) : block
  const parts = jsonParts(paramsText)
  parts[position] = JSON.stringify(replacement)
  return {
    ...call,
    params: params.with(position, replacement),
    paramsText: `[${parts.join(',')}]`,
    minBlock,
  }
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
