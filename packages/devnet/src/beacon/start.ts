import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { startWorkerNode, type WorkerNodeOptions } from '../runtime/worker/start-worker-node.ts'
import type { WorkerKind } from '../runtime/worker/worker-kind.ts'
import type { BeaconWorkerTask } from './worker-task.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const worker: WorkerKind = {
  name: 'beacon chain',
  module: workerUrl(),
  // The libraries read the preset at load time.
  env: { LODESTAR_PRESET: 'minimal' },
  maxHeapMegabytes: 1_024,
  gracefulStopMs: 500,
  onReady: 'Every start begins a new chain at its genesis.',
  onRestart: ', with a new chain,',
}

/** Options of the beacon chain. */
export interface BeaconNodeOptions extends WorkerNodeOptions {
  /** Seconds from one slot to the next; 2 by default. */
  secondsPerSlot?: number | undefined
  /** Whether the chain branches on its schedule; true by default. */
  branching?: boolean | undefined
}

/** A running beacon chain and its beacon node API. */
export interface BeaconNode {
  readonly chain: 'beacon'
  /** Name of the network that the chain represents. */
  readonly network: 'devnet'
  /** Protocols that the URL serves. */
  readonly protocols: readonly ['beacon']
  /** URL of the beacon node; operations are below `/eth/`. */
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts the beacon chain and resolves when its API is available; afterwards the chain is restarted whenever it ends
 * unexpectedly.
 *
 * @param options See {@link BeaconNodeOptions}.
 * @returns The running chain.
 * @throws {@link DevnetError} `DEVNET_ENGINE_FAILED` or `DEVNET_LOCKED`; the abort reason when the signal is aborted.
 */
export async function startBeaconNode(options: BeaconNodeOptions): Promise<BeaconNode> {
  const { secondsPerSlot = 2, branching = true } = options
  const node = await startWorkerNode(
    'beacon',
    worker,
    { ...options, directory: resolve(options.directory) },
    (port): BeaconWorkerTask => ({ port, secondsPerSlot, branching, version }),
  )
  return { chain: 'beacon', network: 'devnet', protocols: ['beacon'], url: node.url, stop: node.stop }
}

// The package runs from its sources and from its build.
function workerUrl(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./worker.${extension}`, import.meta.url)
}
