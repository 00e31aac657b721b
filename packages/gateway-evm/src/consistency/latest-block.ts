import type { Call } from '../call.ts'
import type { RpcResponse } from '../response/rpc-response.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'
import { blockNumberOf } from '../cache/block-of-call.ts'

/** Whether a call requests the latest block. */
export function readsLatestBlock({ method, params }: Pick<Call, 'method' | 'params'>): boolean {
  return method === 'eth_blockNumber' || (method === 'eth_getBlockByNumber' && params[0] === 'latest')
}

/**
 * Returns the block number in a response. In a large response it is near the beginning, which has arrived. The response
 * can still be read afterwards.
 */
export function headIn(response: RpcResponse | UpstreamResponse): number | undefined {
  if (!(response instanceof UpstreamResponse))
    return 'result' in response ? numberIn(response.result) : undefined
  const arrived = response.peek(maxHeadLength)
  return arrived === undefined ? undefined : numberIn(arrived)
}

// Exceeds the length of a header and the envelope before it. The transactions follow.
const maxHeadLength = 16_384

function numberIn(text: string): number | undefined {
  const written = /"(?:number|result)"\s*:\s*"(0x[\da-fA-F]{1,13})"/.exec(text)?.[1]
  return blockNumberOf(written ?? /^\s*"(0x[\da-f]+)"\s*$/i.exec(text)?.[1])
}
