import { resolve } from 'node:path'
import { startWorkerNode, type WorkerNodeOptions } from '../runtime/worker/start-worker-node.ts'
import type { WorkerKind } from '../runtime/worker/worker-kind.ts'
import type { JettonExample } from './chain/jetton-chain.ts'
import type { JettonWorkerTask } from './worker-task.ts'

const worker: WorkerKind = {
  name: 'jetton chain',
  module: workerUrl(),
  env: {},
  maxHeapMegabytes: 1_024,
  gracefulStopMs: 2_000,
  onReady: 'The chain is stored on disk.',
  onRestart: '',
}

/** Options of the jetton chain. */
export interface JettonNodeOptions extends WorkerNodeOptions {
  /** Seconds between two blocks without messages, 5 by default; 0 disables such blocks. */
  secondsPerBlock?: number | undefined
}

/** A running jetton chain and its TON HTTP APIs (v2 and v3). */
export interface JettonNode {
  readonly chain: 'jetton'
  /** Name of the network that the chain represents. */
  readonly network: 'devnet'
  /** Protocols that the URL serves. */
  readonly protocols: readonly ['jetton']
  /** URL of the chain; operations are below `/api/v2/` and `/api/v3/`. */
  readonly url: string
  /** Hashes and addresses of the sample data. */
  readonly example: JettonExample
  /** URL of the faucet: it accepts `POST` with `{ address, amount? }`, the amount in nanocoins as a decimal string. */
  readonly faucetUrl: string
  stop(): Promise<void>
}

/**
 * Starts the jetton chain and resolves when its API is available; afterwards the chain is restarted whenever it ends
 * unexpectedly, and resumes from its last state.
 *
 * @param options See {@link JettonNodeOptions}.
 * @returns The running chain.
 * @throws {@link DevnetError} `DEVNET_ENGINE_FAILED`, `DEVNET_STATE_UNREADABLE` or `DEVNET_LOCKED`; the abort reason
 * when the signal is aborted.
 */
export async function startJettonNode(options: JettonNodeOptions): Promise<JettonNode> {
  const { secondsPerBlock = 5 } = options
  const directory = resolve(options.directory)
  const {
    url,
    data: example,
    stop,
  } = await startWorkerNode<JettonExample>(
    'jetton',
    worker,
    { ...options, directory },
    (port): JettonWorkerTask => ({ port, directory, secondsPerBlock }),
  )
  return {
    chain: 'jetton',
    network: 'devnet',
    protocols: ['jetton'],
    url,
    example,
    faucetUrl: `${url}/faucet`,
    stop,
  }
}

// The package runs from its sources and from its build.
function workerUrl(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./worker.${extension}`, import.meta.url)
}
