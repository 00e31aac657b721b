import { RpcFailure, rpcCodes } from '../../json-rpc/rpc-failure.ts'
import type { Call } from '../../call.ts'
import type { Upstream } from '../upstream.ts'
import type { Adapter } from './adapter.ts'
import { blockInteger } from './block-number.ts'
import { isRecord } from './is-record.ts'

/** Logs of no more blocks at once than the service allows; a query that asks for more is told what it may ask for. */
export const ethGetLogs: Adapter = {
  ask: (call, params, upstream) => withinRange(call, params, upstream),
}

/**
 * Checks how many blocks a query for logs spans.
 *
 * @param call - with the limit, if there is one
 * @param params - the filter
 * @returns params with those members of the filter that were looked at, as nodes differ in what they make of a member
 * that comes twice or in another case; undefined without a limit
 * @throws {@link RpcFailure} -32602 with `data` of `max_range`, and of `from` and `to` of a range that is short enough
 */
export function withinRange(
  { signal, maxLogRange = 0 }: Call,
  [filter]: readonly unknown[],
  upstream: Upstream,
): Promise<readonly unknown[]> | undefined {
  return maxLogRange > 0 && isRecord(filter) ? limited(filter, maxLogRange, upstream, signal) : undefined
}

async function limited(
  { fromBlock, toBlock, blockHash, address, topics }: Readonly<Record<string, unknown>>,
  maxRange: number,
  upstream: Upstream,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const [first, last] = [fromBlock ?? 'latest', toBlock ?? 'latest']
  if (first !== last) {
    const [from, to] = await Promise.all([
      numberOf('fromBlock', first, upstream, signal),
      numberOf('toBlock', last, upstream, signal),
    ])
    if (to - from >= maxRange) {
      throw new RpcFailure(rpcCodes.invalidParams, `The range may hold at most ${maxRange} blocks.`, {
        data: { max_range: maxRange, from: hex(from), to: hex(from + maxRange - 1) },
      })
    }
  }
  return [{ fromBlock, toBlock, blockHash, address, topics }]
}

async function numberOf(
  field: string,
  block: unknown,
  upstream: Upstream,
  signal: AbortSignal,
): Promise<number> {
  const isBlock =
    typeof block === 'string' &&
    /^(?:0x[0-9a-fA-F]{1,13}|earliest|latest|pending|safe|finalized)$/.test(block)
  if (!isBlock) throw new RpcFailure(rpcCodes.invalidParams, `${field} must be a quantity or a block tag.`)
  if (block === 'earliest') return 0
  const number = block === 'pending' ? null : await blockInteger(block, upstream, signal)
  return Number(number ?? (await upstream.call('eth_blockNumber', [], signal)))
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
