import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EvmExample, type EvmDevnetChain, startDevnet } from '@fairlead/devnet'
import { type ListenerFixture, listenTo, token } from './listener-fixture.ts'

/** A trace, from the gateway or from the upstream itself. */
export interface Trace {
  readonly structLogs: readonly { readonly op: string; readonly stack: readonly string[] }[]
  readonly gas: number
  readonly gasUsed: number
  readonly returnValue: string
  readonly failed: boolean
}

/** A transaction as upstreams accept it. It has more members than the specification defines for bundles. */
export interface Transaction {
  readonly from?: string
  readonly to: string
  readonly gas?: string
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
  readonly value?: string
  readonly data?: string
  readonly accessList?: readonly { readonly address: string; readonly storageKeys: readonly string[] }[]
  readonly authorizationList?: readonly object[]
}

/** A real chain that can mine transactions, and the gateway in front of it. */
export interface TracedChain {
  readonly node: string
  readonly example: EvmExample
  readonly gateway: ListenerFixture
  /** Calls the upstream directly. */
  rpc<result>(method: string, params?: readonly unknown[]): Promise<result>
  /** Calls `debug_traceCallMany` on the gateway. */
  simulate(...params: unknown[]): Promise<Trace[]>
  /** Mines transactions in order, one block per bundle. Their effects are reverted after `use`. */
  mined<result>(
    bundles: readonly (readonly Transaction[])[],
    use: (traces: Trace[], block: { readonly number: string }) => Promise<result>,
    beforeBundle?: (index: number) => Promise<unknown>,
  ): Promise<result>
  stop(): Promise<void>
}

/** Account address of 40 digits that ends with the given digits. */
export const address = (digits: string): string => `0x${digits.padStart(40, '0')}`

/** Word of 64 digits, without 0x. */
export const word = (value: number | string): string =>
  (typeof value === 'number' ? value.toString(16) : value.replace('0x', '')).padStart(64, '0')

/** A word with 0x. */
export const slot = (value: number): string => `0x${word(value)}`

/** Calls a method. Throws the error of the response with its code. */
export async function rpcOf<result>(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  const reply = (await response.json()) as {
    result: result
    error?: { readonly code: number; readonly message: string }
  }
  if (reply.error) throw Object.assign(new Error(reply.error.message), { code: reply.error.code })
  return reply.result
}

/**
 * Starts a chain with contracts on it.
 *
 * @param contracts - account address and code, without 0x
 */
export async function startTracedChain(
  contracts: Readonly<Record<string, readonly [address: string, code: string]>>,
): Promise<TracedChain> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-traces-'))
  const devnet = await startDevnet({ dataDirectory: directory, chains: ['evm'] })
  const [chain] = devnet.chains as readonly EvmDevnetChain[]
  if (!chain) throw new Error('no chain')
  const { url: node, example } = chain
  const rpc: TracedChain['rpc'] = (method, params) => rpcOf(node, method, params)
  for (const [at, code] of Object.values(contracts)) await rpc('anvil_setCode', [at, `0x${code}`])
  await rpc('evm_mine')
  const gateway = await listenTo(node)
  return {
    node,
    example,
    gateway,
    rpc,
    simulate: (...params) => rpcOf(`${gateway.url}/${token}`, 'debug_traceCallMany', params),
    mined: async (bundles, use, beforeBundle) => {
      const snapshot = await rpc<string>('evm_snapshot')
      await rpc('evm_setAutomine', [false])
      try {
        const hashes: string[] = []
        for (const [index, transactions] of bundles.entries()) {
          await beforeBundle?.(index)
          for (const transaction of transactions) hashes.push(await rpc('eth_sendTransaction', [transaction]))
          await rpc('evm_mine')
        }
        const traces = await Promise.all(hashes.map((hash) => minedTrace(rpc, hash)))
        return await use(traces, await rpc<{ number: string }>('eth_getBlockByNumber', ['latest', false]))
      } finally {
        await rpc('evm_setAutomine', [true])
        await rpc('evm_revert', [snapshot])
      }
    },
    stop: async () => {
      await gateway.stop()
      await devnet.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function minedTrace(rpc: TracedChain['rpc'], hash: string): Promise<Trace> {
  const trace = await rpc<Omit<Trace, 'gasUsed'>>('debug_traceTransaction', [hash, { enableMemory: true }])
  const receipt = await rpc<{ gasUsed: string }>('eth_getTransactionReceipt', [hash])
  return { ...trace, gasUsed: Number(receipt.gasUsed) }
}

/** Returns the parts of a trace that must be equal however a transaction was executed. */
export function essence({ structLogs, gasUsed, returnValue, failed }: Trace): object {
  const steps = structLogs.map((step) => {
    const { pc, op, gas, gasCost, depth, stack, memory } = step as unknown as Record<string, unknown>
    return { pc, op, gas, gasCost, depth, stack, memory: memory ?? [] }
  })
  return { steps, gasUsed, returnValue, failed }
}
