import type { CancellationSignal } from '@fairlead/runtime'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { malformed } from '../response/rpc-errors.ts'
import type { Upstream } from '../upstream/types.ts'
import type { Adapter } from './adapter.ts'
import { readLogs, withinRange } from './eth-get-logs.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import { nativeOrDerived } from './native-or-derived.ts'
import { validateParams } from '../methods/validate-params.ts'

// Each block is fetched, unless the upstream includes the timestamp in the log.
const maxBlocks = 256

/** Returns logs with the timestamps of their blocks. Combines logs and blocks for an upstream without the method. */
export const erigonGetLogs: Adapter = {
  derivedFrom: ['eth_getLogs', 'eth_getBlockByNumber'],
  handle: async (call, given, upstream) => {
    const { signal } = call
    const params = (await withinRange(call, given, upstream)) ?? given
    return nativeOrDerived({ upstream, method: 'erigon_getLogs', params, signal }, async () => {
      const logs = await readLogs(call, params, upstream)
      if (!Array.isArray(logs)) throw malformed()
      const untimed = logs.filter((log: unknown) => isRecord(log) && log['blockTimestamp'] === undefined)
      if (new Set(untimed.map((log: { blockNumber: unknown }) => log.blockNumber)).size > maxBlocks) {
        throw new RpcError(rpcCodes.limitExceeded, `The logs span more than ${maxBlocks} blocks.`)
      }
      const times = new Map<unknown, Promise<unknown>>()
      const timeOf = (number: unknown) => {
        const time =
          times.get(number) ?? blockAt(number, upstream, signal).then((block) => block['timestamp'])
        times.set(number, time)
        return time
      }
      return Promise.all(
        logs.map(async (log: unknown) => {
          if (!isRecord(log)) throw malformed()
          return { ...log, timestamp: log['blockTimestamp'] ?? (await timeOf(log['blockNumber'])) }
        }),
      )
    })
  },
}

/** Finds the block of a timestamp by binary search. Timestamps never decrease from block to block. */
export const erigonGetBlockByTimestamp: Adapter = {
  derivedFrom: ['eth_getBlockByNumber'],
  handle: async ({ signal }, params, upstream) => {
    const method = 'erigon_getBlockByTimestamp'
    validateParams(method, params)
    return nativeOrDerived({ upstream, method, params, signal }, async () => {
      const [timestamp, isFull] = params as [string, boolean]
      const time = BigInt(timestamp)
      const timeAt = async (number: number) =>
        BigInt(String((await blockAt(hex(number), upstream, signal))['timestamp']))
      const head = await blockAt('latest', upstream, signal)
      // The first block that is not older is between `low` and `high`.
      let low = 0
      let high = Number(head['number'])
      if (BigInt(String(head['timestamp'])) <= time) low = high
      while (low < high) {
        const middle = Math.floor((low + high) / 2)
        if ((await timeAt(middle)) >= time) high = middle
        else low = middle + 1
      }
      const isLater = low > 0 && (await timeAt(low)) > time
      return upstream.call('eth_getBlockByNumber', [hex(isLater ? low - 1 : low), isFull], signal)
    })
  },
}

async function blockAt(
  number: unknown,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const block = await upstream.call('eth_getBlockByNumber', [number, false], signal)
  if (!isRecord(block)) throw malformed()
  return block
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
