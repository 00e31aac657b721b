import type { CancellationSignal } from '@fairlead/runtime'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { malformed } from '../response/rpc-errors.ts'
import type { Upstream } from '../upstream/types.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/** A call of a tracing method that names a tracer. */
export interface TracerCall {
  readonly method: string
  readonly params: readonly unknown[]
  /** Position of the options in the params. */
  readonly optionsAt: number
  readonly upstream: Upstream
  readonly signal: CancellationSignal
}

// Each tracer runs the call once.
const maxTracers = 8

/**
 * Emulates the tracers that anvil accepts by name but does not implement: the flat call tracer and the mux tracer.
 *
 * @returns undefined for every other tracer
 * @throws {@link RpcError}
 */
export function missingTracer(call: TracerCall): Promise<unknown> | undefined {
  const { tracer } = optionsOf(call)
  if (tracer === 'muxTracer') return muxTrace(call)
  if (tracer === 'flatCallTracer') return flatTrace(call)
  return undefined
}

/** Runs each tracer in a separate call and combines the results by tracer name. */
async function muxTrace(call: TracerCall): Promise<unknown> {
  const { method, params, optionsAt, upstream, signal } = call
  const options = optionsOf(call)
  const configured = isRecord(options['tracerConfig']) ? Object.entries(options['tracerConfig']) : []
  if (configured.length > maxTracers || configured.some(([tracer]) => tracer === 'muxTracer')) {
    throw new RpcError(rpcCodes.invalidParams, `muxTracer supports at most ${maxTracers} other tracers.`)
  }
  const results = await Promise.all(
    configured.map(([tracer, tracerConfig]) => {
      const replaced = params.with(optionsAt, { ...options, tracer, tracerConfig: tracerConfig ?? {} })
      const single = { ...call, params: replaced }
      return missingTracer(single) ?? upstream.call(method, replaced, signal)
    }),
  )
  const names = configured.map(([tracer]) => tracer)
  if (!method.startsWith('debug_traceBlock')) return resultsByTracer(names, results)
  const blocks = results as readonly (readonly Readonly<Record<string, unknown>>[])[]
  return (blocks[0] ?? []).map(({ txHash }, position) => {
    const transactionResults = blocks.map((items) => items[position]?.['result'])
    return { txHash, result: resultsByTracer(names, transactionResults) }
  })
}

function resultsByTracer(names: readonly string[], results: readonly unknown[]): object {
  return Object.fromEntries(names.map((name, position) => [name, results[position]]))
}

/** Returns flat traces from the `trace` methods, which anvil has. */
async function flatTrace({ method, params, upstream, signal }: TracerCall): Promise<unknown> {
  const [subject] = params
  if (method === 'debug_traceTransaction') {
    const traces = await upstream.call('trace_transaction', [subject], signal)
    if (Array.isArray(traces) && traces.length > 0) return traces
    throw new RpcError(rpcCodes.serverError, 'transaction not found')
  }
  if (!method.startsWith('debug_traceBlock')) {
    throw new RpcError(
      rpcCodes.serverError,
      `The upstreams of this node do not support flatCallTracer for ${method}.`,
    )
  }
  const blockMethod = method.endsWith('Hash') ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const block = await upstream.call(blockMethod, [subject, false], signal)
  if (!isRecord(block)) throw new RpcError(rpcCodes.serverError, 'block not found')
  const traces = await upstream.call('trace_block', [block['number']], signal)
  const hashes = block['transactions']
  if (!Array.isArray(traces) || !Array.isArray(hashes)) throw malformed()
  return hashes.map((txHash: unknown) => ({
    txHash,
    result: traces.filter((trace: unknown) => isRecord(trace) && trace['transactionHash'] === txHash),
  }))
}

function optionsOf({ params, optionsAt }: TracerCall): Readonly<Record<string, unknown>> {
  const options = params[optionsAt]
  return isRecord(options) ? options : {}
}
