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
  // The libraries read the preset when they are loaded; nothing else of the environment gets there.
  env: { LODESTAR_PRESET: 'minimal' },
  mostHeapMegabytes: 1_024,
  gracefulStopMs: 500,
  onReady: 'The chain is a new one: it begins at its genesis with every start.',
  onRestart: ', with a new chain,',
}

/** How to run the beacon chain. */
export interface BeaconNodeOptions extends WorkerNodeOptions {
  /** Seconds from one slot to the next; 2 when left out. */
  secondsPerSlot?: number | undefined
  /** Whether the chain branches on its schedule; true when left out. */
  branching?: boolean | undefined
}

/** A running beacon chain behind its node interface. */
export interface BeaconNode {
  readonly chain: 'beacon'
  /** Name of the network that the chain stands for. */
  readonly network: 'devnet'
  /** Protocols that the address speaks. */
  readonly protocols: readonly ['beacon']
  /** Address of the node; operations are below `/eth/`. */
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts the beacon chain and returns when it answers calls; from then on it is started anew whenever it ends unasked.
 *
 * @param options See {@link BeaconNodeOptions}.
 * @returns The running chain.
 * @throws {@link DevnetError} `DEVNET_ENGINE_FAILED` or `DEVNET_LOCKED`; the reason of the signal when that was aborted.
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

// The package runs from its sources as well as from its build.
function workerUrl(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./worker.${extension}`, import.meta.url)
}
