import { RpcFailure, rpcCodes } from '../../json-rpc/rpc-failure.ts'
import type { Upstream } from '../upstream.ts'
import { validateParams } from '../validate-params.ts'
import type { Adapter } from './adapter.ts'
import { type AccountOverrides, foldDiff, foldOverrides, type PrestateDiff } from './state-overrides.ts'

interface BundleTransaction {
  readonly from?: string
  readonly to: string
  readonly gas?: string
  readonly gasPrice?: string
  readonly data?: string
}

interface Bundle {
  readonly transactions: readonly BundleTransaction[]
  readonly blockOverride?: { readonly blockNumber?: string }
}

interface SimulationContext {
  readonly blockNumber: string
  readonly transactionIndex: number
}

interface BlockHeader {
  readonly number: string
  readonly timestamp: string
  readonly gasLimit: string
  readonly miner: string
  readonly difficulty?: string
  readonly mixHash?: string
  readonly baseFeePerGas?: string
  readonly transactions: readonly string[]
}

interface StructLog extends Readonly<Record<string, unknown>> {
  readonly stack?: readonly string[]
  readonly memory?: readonly string[]
}

interface StructLoggerResult {
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: string
  readonly structLogs: readonly StructLog[]
}

// All traces are held until the last one is there.
const maxTraceBytes = 128 * 1024 * 1024

/**
 * Traces bundles of transactions one after the other, each on the state that those before it left behind.
 *
 * Nodes that only have `debug_traceCall` can do it: every transaction is traced with the changes of the earlier ones as
 * state overrides, and its own changes are read from a second trace of the same call. Nothing is ever mined.
 */
export const debugTraceCallMany: Adapter = {
  answer: async ({ signal }, given, upstream) => {
    const params = withPlainOverrides(given)
    validateParams('debug_traceCallMany', params)
    const [bundles, context, stateOverrides = {}] = params as [Bundle[], SimulationContext, AccountOverrides?]
    checkParams(bundles, context, stateOverrides)
    const start = await startingState(context, upstream, signal)
    let overrides = foldOverrides(start.overrides, stateOverrides)
    let { number, time } = start
    let bytes = 0
    const traces: unknown[] = []
    for (const { transactions, blockOverride } of bundles) {
      if (blockOverride?.blockNumber !== undefined) number = BigInt(blockOverride.blockNumber)
      for (const transaction of transactions) {
        const gas = transaction.gas && BigInt(transaction.gas) > 0n ? transaction.gas : start.gasLimit
        const call = { ...transaction, gas }
        const blockOverrides = { ...start.environment, number: hex(number), time: hex(time) }
        const options = { stateOverrides: overrides, blockOverrides }
        const [trace, diff] = (await upstream.batch(
          [
            ['debug_traceCall', [call, start.base, { ...options, enableMemory: true }]],
            ['debug_traceCall', [call, start.base, { ...options, ...prestateDiff }]],
          ],
          signal,
        )) as [StructLoggerResult, PrestateDiff]
        bytes += sizeOf(trace)
        if (bytes > maxTraceBytes) throw new RpcFailure(rpcCodes.limitExceeded, 'The traces are too large.')
        traces.push(executionTrace(trace, gas))
        overrides = foldDiff(overrides, diff)
      }
      number += 1n
      time += 1n
    }
    return traces
  },
}

const prestateDiff = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }

// Clients written for the nodes that have this method put the overrides one level deeper.
function withPlainOverrides(params: readonly unknown[]): readonly unknown[] {
  const [bundles, context, third] = params
  const nested = typeof third === 'object' && third !== null && 'stateOverrides' in third
  return nested ? [bundles, context, third.stateOverrides ?? {}] : params
}

// What a schema cannot say.
function checkParams(
  bundles: readonly Bundle[],
  { transactionIndex }: SimulationContext,
  overrides: AccountOverrides,
): void {
  const invalid = (message: string) => new RpcFailure(rpcCodes.invalidParams, message)
  if (bundles.every(({ transactions }) => transactions.length === 0)) {
    throw invalid('bundles must hold at least one transaction.')
  }
  if (transactionIndex < -1) throw invalid('simulationContext.transactionIndex must be -1 or more.')
  const doubled = Object.keys(overrides).find((key) => overrides[key]?.state && overrides[key].stateDiff)
  if (doubled) throw invalid(`stateOverrides.${doubled} may have state or stateDiff, not both.`)
}

/** The state before transaction `transactionIndex` of the block; after the block for -1 or past the last one. */
async function startingState(
  { blockNumber, transactionIndex }: SimulationContext,
  upstream: Upstream,
  signal: AbortSignal,
) {
  const block = (await upstream.call(
    'eth_getBlockByNumber',
    [blockNumber, false],
    signal,
  )) as BlockHeader | null
  if (!block) {
    throw new RpcFailure(rpcCodes.resourceNotFound, `The block ${BigInt(blockNumber)} is not known.`)
  }
  const number = BigInt(block.number)
  const start = {
    number,
    time: BigInt(block.timestamp),
    gasLimit: block.gasLimit,
    environment: environmentOf(block),
  }
  const isAfter = transactionIndex === -1 || transactionIndex >= block.transactions.length
  if (isAfter || number === 0n) return { ...start, base: block.number, overrides: {} }
  let overrides: AccountOverrides = {}
  if (transactionIndex > 0) {
    const diffs = (await upstream.call('debug_traceBlockByNumber', [block.number, prestateDiff], signal)) as {
      readonly result: PrestateDiff
    }[]
    for (const { result } of diffs.slice(0, transactionIndex)) overrides = foldDiff(overrides, result)
  }
  return { ...start, base: hex(number - 1n), overrides }
}

/** What contracts see of the block; the state may be the parent's, so the node has to be told. */
function environmentOf({ gasLimit, miner, difficulty = '0x0', mixHash, baseFeePerGas }: BlockHeader) {
  return {
    gasLimit,
    feeRecipient: miner,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    // Since proof of stake both are read by one opcode, and a block has either.
    ...(BigInt(difficulty) > 0n ? { difficulty } : mixHash !== undefined && { prevRandao: mixHash }),
  }
}

function executionTrace({ structLogs, gas, returnValue, failed }: StructLoggerResult, gasProvided: string) {
  return {
    structLogs: structLogs.map((step) => ({ ...step, stack: step.stack ?? [], memory: step.memory ?? [] })),
    gas: Number(gasProvided),
    returnValue: returnValue.startsWith('0x') ? returnValue : `0x${returnValue}`,
    gasUsed: gas,
    failed,
  }
}

/** Roughly what a trace takes: a word is 64 digits, and a step has some fields more. */
function sizeOf({ structLogs }: StructLoggerResult): number {
  return structLogs.reduce(
    (sum, { stack = [], memory = [] }) => sum + 200 + 70 * (stack.length + memory.length),
    0,
  )
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}
