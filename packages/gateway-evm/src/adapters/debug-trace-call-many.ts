import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { malformed } from '../response/rpc-errors.ts'
import { validateParams } from '../methods/validate-params.ts'
import type { Adapter } from './adapter.ts'
import { executionTrace, type StructLoggerResult } from './execution-trace.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import { nativeOrDerived } from './native-or-derived.ts'
import { nodeClient } from './node-client.ts'
import type { AccountOverrides } from './state-overrides.ts'
import {
  type Bundle,
  gasOf,
  type SimulationContext,
  type StartingBlock,
  traceBundles,
} from './trace-bundles.ts'

/**
 * Traces bundles of transactions in order, each on the state that the previous ones produced.
 *
 * Calls the upstream's own method where all execution clients that have it agree with the specification. This saves a
 * second trace of each call. Otherwise traces with single calls, which any upstream with `debug_traceCall` supports.
 */
export const debugTraceCallMany: Adapter = {
  derivedFrom: ['debug_traceCall', 'debug_traceBlockByNumber', 'eth_getBlockByNumber'],
  handle: async ({ signal }, given, upstream) => {
    const params = withPlainOverrides(given)
    validateParams('debug_traceCallMany', params)
    const [bundles, context, stateOverrides = {}] = params as [Bundle[], SimulationContext, AccountOverrides?]
    checkParams(bundles, context, stateOverrides)
    const { blockNumber, transactionIndex } = context
    const found = await upstream.call('eth_getBlockByNumber', [blockNumber, transactionIndex > 0], signal)
    if (!isRecord(found)) {
      throw new RpcError(rpcCodes.resourceNotFound, `The block ${BigInt(blockNumber)} is not known.`)
    }
    const block = found as unknown as StartingBlock
    const derive = () => traceBundles(bundles, { block, transactionIndex }, stateOverrides, upstream, signal)
    // Execution clients do not agree on the time of a second block, nor on a start inside the latest block.
    const isSupported =
      transactionIndex === -1 && (bundles.length === 1 || (await nodeClient(upstream, signal)) === 'erigon')
    if (!isSupported) return derive()
    const filled = bundles.map(({ transactions, ...otherFields }) => ({
      ...otherFields,
      transactions: transactions.map((transaction) => ({ ...transaction, gas: gasOf(transaction, block) })),
    }))
    const options = { enableMemory: true, disableMemory: false, stateOverrides }
    let isNative = true
    const traces = await nativeOrDerived(
      { upstream, method: 'debug_traceCallMany', params: [filled, context, options], signal },
      () => {
        isNative = false
        return derive()
      },
    )
    return isNative ? flattened(traces, filled) : traces
  },
}

/** Flattens the traces, which upstreams group by bundle. */
function flattened(
  grouped: unknown,
  bundles: readonly { readonly transactions: readonly { readonly gas: string }[] }[],
): unknown {
  if (!Array.isArray(grouped)) throw malformed()
  const traces = grouped.flat(1) as readonly unknown[]
  const gases = bundles.flatMap(({ transactions }) => transactions.map(({ gas }) => gas))
  if (traces.length !== gases.length) throw malformed()
  return traces.map((trace, position) => {
    if (!isRecord(trace) || !Array.isArray(trace['structLogs'])) throw malformed()
    return executionTrace(trace as unknown as StructLoggerResult, gases[position] as string)
  })
}

const traceOptions: ReadonlySet<string> = new Set([
  'blockOverrides',
  'debug',
  'disableMemory',
  'disableReturnData',
  'disableStack',
  'disableStorage',
  'enableMemory',
  'enableReturnData',
  'limit',
  'reexec',
  'stateOverrides',
  'timeout',
  'tracer',
  'tracerConfig',
  'txIndex',
])

// Applications written for upstreams with this method send trace options that contain the overrides.
function withPlainOverrides(params: readonly unknown[]): readonly unknown[] {
  const [bundles, context, third] = params
  if (!isRecord(third)) return params
  const keys = Object.keys(third)
  if (keys.length === 0 || !keys.every((key) => traceOptions.has(key))) return params
  if (third['tracer'] !== undefined) {
    throw new RpcError(
      rpcCodes.invalidParams,
      'debug_traceCallMany returns struct logs and does not support a tracer.',
    )
  }
  return [bundles, context, third['stateOverrides'] ?? {}]
}

// Checks that a JSON schema cannot express.
function checkParams(
  bundles: readonly Bundle[],
  { transactionIndex }: SimulationContext,
  overrides: AccountOverrides,
): void {
  const invalid = (message: string) => new RpcError(rpcCodes.invalidParams, message)
  if (bundles.every(({ transactions }) => transactions.length === 0)) {
    throw invalid('bundles must contain at least one transaction.')
  }
  if (transactionIndex < -1) throw invalid('simulationContext.transactionIndex must be at least -1.')
  const doubled = Object.keys(overrides).find((key) => overrides[key]?.state && overrides[key].stateDiff)
  if (doubled) throw invalid(`stateOverrides.${doubled} must not have both state and stateDiff.`)
}
