import type { ClientCall } from '../client-call.ts'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Upstream } from '../upstream/types.ts'
import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import { missingTracer } from './missing-tracer.ts'
import { nodeClient } from './node-client.ts'
import { normalizeStructLogs, normalizeStructLogText } from './struct-log.ts'

// Anvil's response for an unknown transaction is at most this long.
const transformUpTo = 512

/** Returns the trace of a transaction. Anvil returns an empty trace for an unknown transaction. */
export const debugTraceTransaction: Adapter = {
  ...tracing('debug_traceTransaction', 1),
  transformUpTo,
  transformResult: async (trace, { signal }, params, upstream) => {
    const normalized = tracerOf(params, 1) === undefined ? normalizeStructLogs(trace) : trace
    // A transaction costs gas even when it does nothing.
    if (!isRecord(trace) || trace['gas'] !== 0 || !isEmpty(trace['structLogs'])) return normalized
    const transaction = await upstream.call('eth_getTransactionByHash', [params[0]], signal)
    if (isRecord(transaction) && typeof transaction['blockHash'] === 'string') return normalized
    throw new RpcError(rpcCodes.serverError, 'transaction not found')
  },
}

/** Returns the trace of a call. */
export const debugTraceCall: Adapter = tracing('debug_traceCall', 2)
/** Returns the traces of a block. */
export const debugTraceBlockByHash: Adapter = tracing('debug_traceBlockByHash', 1)
/** As {@link debugTraceBlockByHash}. */
export const debugTraceBlockByNumber: Adapter = tracing('debug_traceBlockByNumber', 1)
/** As {@link debugTraceBlockByHash}, for a block that the caller sends RLP-encoded. */
export const debugTraceBlock: Adapter = tracing('debug_traceBlock', 1)

function tracing(method: string, optionsAt: number): Adapter {
  return {
    handle: async ({ signal }: ClientCall, params: readonly unknown[], upstream: Upstream) => {
      if (tracerOf(params, optionsAt) === undefined || (await nodeClient(upstream, signal)) !== 'anvil')
        return undefined
      return missingTracer({ method, params, optionsAt, upstream, signal })
    },
    // Traces have no size limit, so they are transformed while they stream. Named tracers write arbitrary JSON.
    rewrite: (params) => (tracerOf(params, optionsAt) === undefined ? normalizeStructLogText : undefined),
  }
}

function tracerOf(params: readonly unknown[], optionsAt: number): unknown {
  const options = params[optionsAt]
  return isRecord(options) ? (options['tracer'] ?? undefined) : undefined
}

function isEmpty(steps: unknown): boolean {
  return Array.isArray(steps) && steps.length === 0
}
