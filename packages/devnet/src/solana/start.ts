import { resolve } from 'node:path'
import { startWorkerNode, type WorkerNodeOptions } from '../runtime/worker/start-worker-node.ts'
import type { WorkerKind } from '../runtime/worker/worker-kind.ts'
import type { SolanaExample } from './chain/solana-chain.ts'
import type { SolanaWorkerTask } from './worker-task.ts'

const worker: WorkerKind = {
  name: 'Solana chain',
  module: workerUrl(),
  env: {},
  maxHeapMegabytes: 1_024,
  gracefulStopMs: 2_000,
  onReady: 'The chain is stored on disk.',
  onRestart: '',
}

/** Options of the Solana chain. */
export interface SolanaNodeOptions extends WorkerNodeOptions {
  /** Seconds from one slot to the next; 0.4 by default. */
  secondsPerSlot?: number | undefined
  /** Whether each slot contains a few generated transactions; true by default. */
  traffic?: boolean | undefined
  /** Whether some slots are produced on a losing branch; false by default. */
  branching?: boolean | undefined
  /** Number of blocks after a block that make it final; 32 by default. */
  finalityBlocks?: number | undefined
}

/** A running Solana chain with its gRPC and JSON-RPC APIs. */
export interface SolanaNode {
  readonly chain: 'solana'
  /** Name of the network that the chain represents. */
  readonly network: 'devnet'
  /** Protocols that the URL serves. */
  readonly protocols: readonly ['grpc']
  /** URL of the Geyser service, by gRPC without TLS. */
  readonly url: string
  /** URL for JSON-RPC over HTTP/1.1; the same as `url`. */
  readonly rpcUrl: string
  /** Addresses and signatures of the sample data. */
  readonly example: SolanaExample
  stop(): Promise<void>
}

/**
 * Starts the Solana chain and resolves when its APIs are available; afterwards the chain is restarted whenever it ends
 * unexpectedly, and resumes from its last state.
 *
 * @param options See {@link SolanaNodeOptions}.
 * @returns The running chain.
 * @throws {@link DevnetError} `DEVNET_ENGINE_FAILED`, `DEVNET_ENGINE_UNAVAILABLE`, `DEVNET_STATE_UNREADABLE` or
 * `DEVNET_LOCKED`; the abort reason when the signal is aborted.
 */
export async function startSolanaNode(options: SolanaNodeOptions): Promise<SolanaNode> {
  const { secondsPerSlot = 0.4, traffic = true, branching = false, finalityBlocks = 32 } = options
  const directory = resolve(options.directory)
  const {
    url,
    data: example,
    stop,
  } = await startWorkerNode<SolanaExample>(
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
    example,
    stop,
  }
}

// The package runs from its sources and from its build.
function workerUrl(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./worker.${extension}`, import.meta.url)
}
