import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished, vi } from 'vitest'
import type { EvmDevnetChain } from '../src/index.ts'
import { callEngine } from '../src/evm/json-rpc.ts'
import { isRunning } from '../src/runtime/process-identity.ts'
import type { EngineRecord } from '../src/evm/watchdog-protocol.ts'

/** Creates a directory that is deleted after the test. */
export async function scratchDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-devnet-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Starts `parent.ts` in a separate process group and waits until its chain is ready. */
export async function startParent(
  directory: string,
): Promise<{ parent: ChildProcess; chain: EvmDevnetChain }> {
  const script = new URL('parent.ts', import.meta.url).pathname
  const parent = spawn(process.execPath, ['--conditions=@fairlead/source', script, directory], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: parent.stdout }), 'line')
  const chain: EvmDevnetChain = JSON.parse(String(line))
  return { parent, chain }
}

/** Returns the processes of the chain in a data directory. */
export function runningEngine(directory: string): {
  engine: number
  watchdog: number
  ended: () => Promise<void>
} {
  const record: EngineRecord = JSON.parse(readFileSync(join(directory, 'evm', 'engine.json'), 'utf8'))
  const { engine, watchdog } = record
  if (engine === undefined || watchdog === undefined) throw new Error('the record is incomplete')
  return {
    engine: engine.pid,
    watchdog: watchdog.pid,
    ended: () =>
      vi
        .waitUntil(() => !isRunning(engine) && !isRunning(watchdog), { timeout: 10_000 })
        .then(() => undefined),
  }
}

/** Transfers one wei and returns the hash once the receipt is available. */
export async function transact(chain: EvmDevnetChain): Promise<string> {
  const { account, recipient } = chain.example
  const transaction = { from: account, to: recipient, value: '0x1' }
  const receipt = await callEngine<{ transactionHash: string }>(chain.url, 'eth_sendTransactionSync', [
    transaction,
  ])
  return receipt.transactionHash
}

/** The receipt of a transaction, or `null`. */
export function receiptOf(
  chain: EvmDevnetChain,
  hash: string,
): Promise<{ status: string; logs: unknown[] } | null> {
  return callEngine(chain.url, 'eth_getTransactionReceipt', [hash])
}
