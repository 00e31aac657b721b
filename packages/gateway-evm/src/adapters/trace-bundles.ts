import type { CancellationSignal } from '@fairlead/runtime'
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

/** A transaction to trace. Members that the specification does not list are forwarded unchanged. */
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

/** Position in the chain at which the simulation starts. */
export interface SimulationContext {
  readonly blockNumber: string
  readonly transactionIndex: number
}

/** Block fields that the simulation uses. */
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

// All traces are buffered until the last one is complete.
const maxTraceBytes = 128 * 1024 * 1024

const prestateDiff = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }

/**
 * Traces bundles with single calls. Each transaction is traced with the changes of the earlier ones as state overrides.
 * Its own changes come from a second trace of the same call. No transaction is mined.
 *
 * @param bundles - in order of execution
 * @param context - where to start; `block` is the block with its number
 * @param stateOverrides - applied to the state before the first transaction
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

/** Returns the gas limit of a transaction. The default is the gas limit of the block. */
export function gasOf({ gas }: BundleTransaction, { gasLimit }: StartingBlock): string {
  return gas && BigInt(gas) > 0n ? gas : gasLimit
}

/**
 * Returns the state before transaction `transactionIndex` of the block. For -1 or an index past the last transaction,
 * returns the state after the block.
 */
async function startingState(
  { number, transactions }: StartingBlock,
  transactionIndex: number,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<{ readonly base: string; readonly overrides: AccountOverrides }> {
  const isAfterBlock = transactionIndex === -1 || transactionIndex >= transactions.length
  if (isAfterBlock || BigInt(number) === 0n) return { base: number, overrides: {} }
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

/**
 * Block fields that are visible to contracts. The state may be that of the parent block, so they are sent explicitly.
 */
function environmentOf({ gasLimit, miner, difficulty = '0x0', mixHash, baseFeePerGas }: StartingBlock) {
  return {
    gasLimit,
    feeRecipient: miner,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    // The same opcode returns both values since proof of stake, and a block has only one of them.
    ...(BigInt(difficulty) > 0n ? { difficulty } : mixHash !== undefined && { prevRandao: mixHash }),
  }
}

/** Estimates the size of a trace in bytes: a word has 64 digits, and a step has some other fields. */
function sizeOf({ structLogs }: StructLoggerResult): number {
  return structLogs.reduce(
    (sum, { stack = [], memory = [] }) => sum + 200 + 70 * (stack.length + memory.length),
    0,
  )
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}
