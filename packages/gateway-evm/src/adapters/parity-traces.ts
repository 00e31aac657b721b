import { blockHashOf } from './block-number.ts'
import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'

// A response with an empty list is at most this long, including the envelope.
const transformUpTo = 256

/**
 * Returns the traces of a transaction. Every transaction has at least one, so an empty list means that the transaction
 * is unknown.
 */
export const traceTransaction: Adapter = {
  transformUpTo,
  transformResult: (traces) => (isEmpty(traces) ? null : traces),
}

/**
 * Returns the traces of a block. Execution clients require its number, and return an empty list for an unknown block.
 */
export const traceBlock = tracesOfBlock('trace_block')
/** As {@link traceBlock}. */
export const traceReplayBlockTransactions = tracesOfBlock('trace_replayBlockTransactions')

function tracesOfBlock(method: string): Adapter {
  return {
    handle: ({ signal }, [block, ...rest], upstream) => {
      const hash = blockHashOf(block)
      if (hash === undefined) return undefined
      return upstream
        .call('eth_getBlockByHash', [hash, false], signal)
        .then((found) => (isRecord(found) ? upstream.call(method, [found['number'], ...rest], signal) : null))
    },
    transformUpTo,
    transformResult: async (traces, { signal }, [block], upstream) => {
      if (!isEmpty(traces) || typeof block !== 'string') return traces
      const known = await upstream.call('eth_getBlockByNumber', [block, false], signal)
      return known === null ? null : traces
    },
  }
}

function isEmpty(traces: unknown): boolean {
  return Array.isArray(traces) && traces.length === 0
}
