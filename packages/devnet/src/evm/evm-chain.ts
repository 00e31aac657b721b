import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { anvilArguments, evmChainId } from './anvil-arguments.ts'
import { findAnvil } from './anvil-binary.ts'
import { DevnetError } from '../runtime/devnet-error.ts'
import { reportTo, type DevnetEvent } from '../runtime/devnet-event.ts'
import { lockDirectory } from '../runtime/directory-lock.ts'
import type { EngineExit } from './engine-run.ts'
import { callEngine } from './json-rpc.ts'
import { endLeftoverEngine } from './leftover-engine.ts'
import { choosePort } from '../runtime/chain-port.ts'
import { readSeedRecord, writeSeedRecord } from './seed/seed-record.ts'
import { seedChain, type EvmExample } from './seed/seed.ts'
import { supervise, type SupervisedEngine } from './supervisor.ts'
import { defaultTimings, type SupervisorTimings } from '../runtime/supervisor-timings.ts'

const probeMs = 15
const saveIntervalMs = 1_000
const defaultResponseDeadlineMs = 5_000
// Usually this takes less than 0.1 s; a chain with a long history writes hundreds of megabytes.
const stopDeadlineMs = 60_000

/** Options of the EVM chain. */
export interface EvmChainOptions {
  /** Directory that only this chain uses. */
  directory: string
  anvilPath?: string | undefined
  onEvent?: ((event: DevnetEvent) => void) | undefined
  signal?: AbortSignal | undefined
  /** Intervals and timeouts of the supervisor. */
  timings?: Partial<SupervisorTimings> | undefined
  /** Milliseconds that the engine has to respond before it counts as hanging; 5,000 by default. */
  responseDeadlineMs?: number | undefined
  /** Milliseconds to wait for another process that uses the directory. */
  lockWaitMs?: number | undefined
}

/** A running EVM chain. */
export interface EvmChain {
  readonly chain: 'evm'
  /** Name of the network that the chain represents. */
  readonly network: 'devnet'
  /** Protocols that the URL serves. */
  readonly protocols: readonly ['evm']
  /** URL for JSON-RPC over HTTP; for WebSocket, replace `http:` with `ws:`. */
  readonly url: string
  /** Hashes and account addresses of the sample data. */
  readonly example: EvmExample
  stop(): Promise<void>
}

/**
 * Starts the EVM chain and resolves when it accepts calls and has its sample data.
 *
 * @param options See {@link EvmChainOptions}.
 * @returns The running chain.
 * @throws {@link DevnetError} with any of its codes; the abort reason when the signal is aborted.
 */
export async function startEvmChain(options: EvmChainOptions): Promise<EvmChain> {
  const directory = resolve(options.directory)
  const report = reportTo('evm', options.onEvent)
  const signal = options.signal ?? new AbortController().signal
  const lockWaitMs = options.lockWaitMs ?? 10_000
  const program = options.anvilPath ?? findAnvil()
  const stateFile = join(directory, 'state.json')
  const exitStateFile = join(directory, 'state.exit.json')
  const seedFile = join(directory, 'seed.json')
  const recordFile = join(directory, 'engine.json')
  const onWait = (pid: number) =>
    report({ kind: 'waiting', pid, message: `Waiting for process ${pid}, which still uses ${directory}.` })

  signal.throwIfAborted()
  mkdirSync(directory, { recursive: true })
  const unlock = await lockDirectory({
    file: join(directory, 'lock'),
    waitMs: lockWaitMs,
    onWait,
    signal,
  })

  let port: number | undefined
  let published = false
  let example: EvmExample | undefined

  const engine: SupervisedEngine = {
    async nextTask() {
      // Until the URL is published, any port is suitable; afterwards only the same one.
      if (!published) port = await choosePort(join(directory, 'port'))
      return {
        program,
        args: anvilArguments(port ?? 0, existsSync(stateFile) ? stateFile : undefined, exitStateFile),
        url: `http://127.0.0.1:${port}`,
        stateFile,
        exitStateFile,
        recordFile,
        saveIntervalMs,
        responseDeadlineMs: options.responseDeadlineMs ?? defaultResponseDeadlineMs,
        stopDeadlineMs,
      }
    },
    waitUntilResponding,
    async prepare(url, stop) {
      const head = await callEngine<string>(url, 'eth_blockNumber', [], stop)
      if (Number(head) > 0) {
        example = readSeedRecord(seedFile, stateFile)
        return
      }
      const beganAt = Date.now()
      example = await seedChain(url, stop).catch((cause: unknown) => {
        throw new DevnetError(
          'DEVNET_SEED_FAILED',
          `The sample data could not be written: ${String(cause)}`,
          { cause },
        )
      })
      // The state is saved only from here on, so a chain on disk is either absent or has all of its sample data.
      writeSeedRecord(seedFile, example)
      const durationMs = Date.now() - beganAt
      report({
        kind: 'seeded',
        durationMs,
        message: `The fresh chain has its sample data (${durationMs} ms).`,
      })
    },
    explain: (exit) => explainExit(exit, stateFile),
    endLeftover: (timeoutSignal) =>
      endLeftoverEngine({
        recordFile,
        stateFile,
        exitStateFile,
        waitMs: stopDeadlineMs + lockWaitMs,
        onWait,
        signal: timeoutSignal,
      }),
  }

  try {
    await engine.endLeftover(signal)
    signal.throwIfAborted()
    const supervisor = supervise(engine, { ...defaultTimings, ...options.timings }, report)
    let stopped: Promise<void> | undefined
    const stop = () => (stopped ??= supervisor.stop().finally(unlock))
    const onAbort = () => void stop()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      await supervisor.started
    } catch (error) {
      await stop()
      signal.throwIfAborted()
      throw error
    }
    published = true
    return {
      chain: 'evm',
      network: 'devnet',
      protocols: ['evm'],
      url: `http://127.0.0.1:${port}`,
      get example() {
        if (example === undefined) throw new Error('a chain is handed out only after it has been prepared')
        return example
      },
      stop() {
        signal.removeEventListener('abort', onAbort)
        return stop()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

async function waitUntilResponding(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const chainId = await callEngine<string>(url, 'eth_chainId', [], signal).catch(() => undefined)
    if (Number(chainId) === evmChainId) return
    await sleep(probeMs, undefined, { signal })
  }
}

function explainExit(exit: EngineExit, stateFile: string): DevnetError | undefined {
  const printed = exit.lines.join('\n')
  if (!printed.includes('--load-state')) return undefined
  return new DevnetError(
    'DEVNET_STATE_UNREADABLE',
    `The saved state of the EVM chain, ${stateFile}, cannot be read. Move the file away to start a fresh chain; nothing was deleted. The engine printed:\n${printed}`,
  )
}
