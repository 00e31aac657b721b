import { resolve } from 'node:path'
import { startWorkerNode, type WorkerNodeOptions } from '../runtime/worker/start-worker-node.ts'
import type { WorkerKind } from '../runtime/worker/worker-kind.ts'
import type { JettonExample } from './chain/jetton-chain.ts'
import type { JettonWorkerTask } from './worker-task.ts'

const worker: WorkerKind = {
  name: 'jetton chain',
  module: workerUrl(),
  env: {},
  mostHeapMegabytes: 1_024,
  gracefulStopMs: 2_000,
  onReady: 'What happens on the chain is kept.',
  onRestart: '',
}

/** How to run the jetton chain. */
export interface JettonNodeOptions extends WorkerNodeOptions {
  /** Seconds from one block to the next when nothing happens, 5 when left out; 0 for no such blocks. */
  secondsPerBlock?: number | undefined
}

/** A running jetton chain behind both families of its interface. */
export interface JettonNode {
  readonly chain: 'jetton'
  /** Name of the network that the chain stands for. */
  readonly network: 'devnet'
  /** Protocols that the address speaks. */
  readonly protocols: readonly ['jetton']
  /** Address of the node; operations are below `/api/v2/` and `/api/v3/`. */
  readonly url: string
  /** Where the sample data stands. */
  readonly example: JettonExample
  /** Gives coins: takes `POST` with `{ address, amount? }`, the amount in nanocoins as a decimal string. */
  readonly faucetUrl: string
  stop(): Promise<void>
}

/**
 * Starts the jetton chain and returns when it answers calls; from then on it is started anew whenever it ends unasked,
 * and goes on where it was.
 *
 * @param options See {@link JettonNodeOptions}.
 * @returns The running chain.
 * @throws {@link DevnetError} `DEVNET_ENGINE_FAILED`, `DEVNET_STATE_UNREADABLE` or `DEVNET_LOCKED`; the reason of the
 * signal when that was aborted.
 */
export async function startJettonNode(options: JettonNodeOptions): Promise<JettonNode> {
  const { secondsPerBlock = 5 } = options
  const directory = resolve(options.directory)
  const { url, facts, stop } = await startWorkerNode<JettonExample>(
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
    example: facts,
    faucetUrl: `${url}/faucet`,
    stop,
  }
}

// The package runs from its sources as well as from its build.
function workerUrl(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./worker.${extension}`, import.meta.url)
}
