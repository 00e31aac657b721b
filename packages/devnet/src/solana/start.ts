import { resolve } from 'node:path'
import { startWorkerNode, type WorkerNodeOptions } from '../runtime/worker/start-worker-node.ts'
import type { WorkerKind } from '../runtime/worker/worker-kind.ts'
import type { SolanaExample } from './chain/solana-chain.ts'
import type { SolanaWorkerTask } from './worker-task.ts'

const worker: WorkerKind = {
  name: 'Solana chain',
  module: workerUrl(),
  env: {},
  mostHeapMegabytes: 1_024,
  gracefulStopMs: 2_000,
  onReady: 'What happens on the chain is kept.',
  onRestart: '',
}

/** How to run the Solana chain. */
export interface SolanaNodeOptions extends WorkerNodeOptions {
  /** Seconds from one slot to the next; 0.4 when left out. */
  secondsPerSlot?: number | undefined
  /** Whether a few transactions of the chain's own come in each slot; true when left out. */
  traffic?: boolean | undefined
  /** Whether a slot is made on a losing branch now and then; false when left out. */
  branching?: boolean | undefined
  /** Blocks upon a block that make it final; 32 when left out. */
  finalityBlocks?: number | undefined
}

/** A running Solana chain behind its gRPC interface and JSON-RPC. */
export interface SolanaNode {
  readonly chain: 'solana'
  /** Name of the network that the chain stands for. */
  readonly network: 'devnet'
  /** Protocols that the address speaks. */
  readonly protocols: readonly ['grpc']
  /** Address of the Geyser service, by gRPC without TLS. */
  readonly url: string
  /** Address for JSON-RPC by HTTP/1.1; it is the same one. */
  readonly rpcUrl: string
  /** Where the sample data stands. */
  readonly example: SolanaExample
  stop(): Promise<void>
}

/**
 * Starts the Solana chain and returns when it answers calls; from then on it is started anew whenever it ends unasked,
 * and goes on where it was.
 *
 * @param options See {@link SolanaNodeOptions}.
 * @returns The running chain.
 * @throws {@link DevnetError} `DEVNET_ENGINE_FAILED`, `DEVNET_ENGINE_UNAVAILABLE`, `DEVNET_STATE_UNREADABLE` or
 * `DEVNET_LOCKED`; the reason of the signal when that was aborted.
 */
export async function startSolanaNode(options: SolanaNodeOptions): Promise<SolanaNode> {
  const { secondsPerSlot = 0.4, traffic = true, branching = false, finalityBlocks = 32 } = options
  const directory = resolve(options.directory)
  const { url, facts, stop } = await startWorkerNode<SolanaExample>(
    'solana',
    worker,
    { ...options, directory },
    (port): SolanaWorkerTask => ({ port, directory, secondsPerSlot, traffic, branching, finalityBlocks }),
  )
  return {
    chain: 'solana',
    network: 'devnet',
    protocols: ['grpc'],
    url,
    rpcUrl: url,
    example: facts,
    stop,
  }
}

// The package runs from its sources as well as from its build.
function workerUrl(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./worker.${extension}`, import.meta.url)
}
