import type { CancellationSignal } from '@fairlead/http1'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Upstream } from '../upstream/types.ts'
import {
  type AccountOverrides,
  type Authorization,
  foldDiff,
  foldOverrides,
  type PrestateDiff,
} from './state-overrides.ts'
import { executionTrace, type ExecutionTrace, type StructLoggerResult } from './execution-trace.ts'

/** A transaction to trace; members that the specification does not list go to the node as they are. */
export interface BundleTransaction {
  readonly from?: string
  readonly to: string
  readonly gas?: string
  readonly gasPrice?: string
  readonly data?: string
  readonly authorizationList?: readonly Authorization[]
}

/** Transactions that run in one block. */
export interface Bundle {
  readonly transactions: readonly BundleTransaction[]
  readonly blockOverride?: { readonly blockNumber?: string }
}

/** The place in the chain to start from. */
export interface SimulationContext {
  readonly blockNumber: string
  readonly transactionIndex: number
}

/** What is read of a block. */
export interface StartingBlock {
  readonly number: string
  readonly timestamp: string
  readonly gasLimit: string
  readonly miner: string
  readonly difficulty?: string
  readonly mixHash?: string
  readonly baseFeePerGas?: string
  readonly transactions: readonly { readonly authorizationList?: readonly Authorization[] }[]
}

// All traces are held until the last one is there.
const maxTraceBytes = 128 * 1024 * 1024

const prestateDiff = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }

/**
 * Traces bundles by single calls: every transaction is traced with the changes of the earlier ones as state overrides,
 * and its own changes are read from a second trace of the same call. Nothing is ever mined.
 *
 * @param bundles - in order of execution
 * @param context - where to start; `block` is the block of its number
 * @param stateOverrides - laid over the state before the first transaction
 * @throws {@link RpcError}
 */
export async function traceBundles(
  bundles: readonly Bundle[],
  { block, transactionIndex }: { readonly block: StartingBlock; readonly transactionIndex: number },
  stateOverrides: AccountOverrides,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<ExecutionTrace[]> {
  const start = await startingState(block, transactionIndex, upstream, signal)
  const environment = environmentOf(block)
  let overrides = foldOverrides(start.overrides, stateOverrides)
  let number = BigInt(block.number)
  let time = BigInt(block.timestamp)
  let bytes = 0
  const traces: ExecutionTrace[] = []
  for (const { transactions, blockOverride } of bundles) {
    if (blockOverride?.blockNumber !== undefined) number = BigInt(blockOverride.blockNumber)
    for (const transaction of transactions) {
      const call = { ...transaction, gas: gasOf(transaction, block) }
      const blockOverrides = { ...environment, number: hex(number), time: hex(time) }
      const options = { stateOverrides: overrides, blockOverrides }
      const [trace, diff] = (await upstream.batch(
        [
          ['debug_traceCall', [call, start.base, { ...options, enableMemory: true }]],
          ['debug_traceCall', [call, start.base, { ...options, ...prestateDiff }]],
        ],
        signal,
      )) as [StructLoggerResult, PrestateDiff]
      bytes += sizeOf(trace)
      if (bytes > maxTraceBytes) throw new RpcError(rpcCodes.limitExceeded, 'The traces are too large.')
      traces.push(executionTrace(trace, call.gas))
      overrides = foldDiff(overrides, diff, transaction.authorizationList)
    }
    number += 1n
    time += 1n
  }
  return traces
}

/** The gas that a transaction may use: all of a block when it does not say. */
export function gasOf({ gas }: BundleTransaction, { gasLimit }: StartingBlock): string {
  return gas && BigInt(gas) > 0n ? gas : gasLimit
}

/** The state before transaction `transactionIndex` of the block; after the block for -1 or past the last one. */
async function startingState(
  { number, transactions }: StartingBlock,
  transactionIndex: number,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<{ readonly base: string; readonly overrides: AccountOverrides }> {
  const isAfter = transactionIndex === -1 || transactionIndex >= transactions.length
  if (isAfter || BigInt(number) === 0n) return { base: number, overrides: {} }
  let overrides: AccountOverrides = {}
  if (transactionIndex > 0) {
    const diffs = (await upstream.call('debug_traceBlockByNumber', [number, prestateDiff], signal)) as {
      readonly result: PrestateDiff
    }[]
    for (const [position, { result }] of diffs.slice(0, transactionIndex).entries()) {
      overrides = foldDiff(overrides, result, transactions[position]?.authorizationList)
    }
  }
  return { base: hex(BigInt(number) - 1n), overrides }
}

/** What contracts see of the block; the state may be the parent's, so the node has to be told. */
function environmentOf({ gasLimit, miner, difficulty = '0x0', mixHash, baseFeePerGas }: StartingBlock) {
  return {
    gasLimit,
    feeRecipient: miner,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    // Since proof of stake both are read by one opcode, and a block has either.
    ...(BigInt(difficulty) > 0n ? { difficulty } : mixHash !== undefined && { prevRandao: mixHash }),
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
