import { blockHashOf } from './block-number.ts'
import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'

// An empty list is this short, whatever the envelope.
const mendsUpTo = 256

/** The traces of a transaction. There is at least one, so none means that the transaction is not known. */
export const traceTransaction: Adapter = {
  mendsUpTo,
  mend: (traces) => (isEmpty(traces) ? null : traces),
}

/** The traces of a block. Clients want its number, and answer for an unknown block what they answer for an empty one. */
export const traceBlock = tracesOfBlock('trace_block')
/** As {@link traceBlock}. */
export const traceReplayBlockTransactions = tracesOfBlock('trace_replayBlockTransactions')

function tracesOfBlock(method: string): Adapter {
  return {
    answer: ({ signal }, [block, ...rest], upstream) => {
      const hash = blockHashOf(block)
      if (hash === undefined) return undefined
      return upstream
        .call('eth_getBlockByHash', [hash, false], signal)
        .then((found) => (isRecord(found) ? upstream.call(method, [found['number'], ...rest], signal) : null))
    },
    mendsUpTo,
    mend: async (traces, { signal }, [block], upstream) => {
      if (!isEmpty(traces) || typeof block !== 'string') return traces
      const known = await upstream.call('eth_getBlockByNumber', [block, false], signal)
      return known === null ? null : traces
    },
  }
}

function isEmpty(traces: unknown): boolean {
  return Array.isArray(traces) && traces.length === 0
}
