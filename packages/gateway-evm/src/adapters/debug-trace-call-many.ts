import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { malformed } from '../upstream/rpc-errors.ts'
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
 * Traces bundles of transactions one after the other, each on the state that those before it left behind.
 *
 * The node's own method is asked where all clients that have it agree with the specification; it saves a second trace of
 * each call. Everything else is traced by single calls, which any node with `debug_traceCall` can do.
 */
export const debugTraceCallMany: Adapter = {
  derivedFrom: ['debug_traceCall', 'debug_traceBlockByNumber', 'eth_getBlockByNumber'],
  answer: async ({ signal }, given, upstream) => {
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
    // Clients do not agree on the time of a second block, nor on a start inside the latest one.
    const isAgreed =
      transactionIndex === -1 && (bundles.length === 1 || (await nodeClient(upstream, signal)) === 'erigon')
    if (!isAgreed) return derive()
    const filled = bundles.map(({ transactions, ...rest }) => ({
      ...rest,
      transactions: transactions.map((one) => ({ ...one, gas: gasOf(one, block) })),
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

/** Nodes group the traces by bundle. */
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

// Clients written for the nodes that have this method send trace options, with the overrides inside.
function withPlainOverrides(params: readonly unknown[]): readonly unknown[] {
  const [bundles, context, third] = params
  if (!isRecord(third)) return params
  const keys = Object.keys(third)
  if (keys.length === 0 || !keys.every((key) => traceOptions.has(key))) return params
  if (third['tracer'] !== undefined) {
    throw new RpcError(rpcCodes.invalidParams, 'debug_traceCallMany gives struct logs; it takes no tracer.')
  }
  return [bundles, context, third['stateOverrides'] ?? {}]
}

// What a schema cannot say.
function checkParams(
  bundles: readonly Bundle[],
  { transactionIndex }: SimulationContext,
  overrides: AccountOverrides,
): void {
  const invalid = (message: string) => new RpcError(rpcCodes.invalidParams, message)
  if (bundles.every(({ transactions }) => transactions.length === 0)) {
    throw invalid('bundles must hold at least one transaction.')
  }
  if (transactionIndex < -1) throw invalid('simulationContext.transactionIndex must be -1 or more.')
  const doubled = Object.keys(overrides).find((key) => overrides[key]?.state && overrides[key].stateDiff)
  if (doubled) throw invalid(`stateOverrides.${doubled} may have state or stateDiff, not both.`)
}
