import { join } from 'node:path'
import type { DevnetEvent } from './devnet-event.ts'
import { startEvmChain, type EvmChain } from './evm-chain.ts'

/** How to run the development chains. */
export interface DevnetOptions {
  /** Directory for state, ports and locks; created when missing. One running devnet per directory. */
  dataDirectory: string
  /** Hears what the chains do. */
  onEvent?: ((event: DevnetEvent) => void) | undefined
  /** Aborting it ends the start, or later the running chains. */
  signal?: AbortSignal | undefined
  /** Path of an anvil program to run in place of the one that npm installed. */
  anvilPath?: string | undefined
}

/** A development chain as its users see it. */
export type DevnetChain = Omit<EvmChain, 'stop'>

/** The running development chains. */
export interface Devnet {
  readonly chains: readonly DevnetChain[]
  /** Saves the state and ends the chains; may be called more than once. */
  stop(): Promise<void>
}

/**
 * Starts the development chains and keeps them running until they are stopped or this process ends.
 *
 * @param options Where the state lives and who hears about it.
 * @returns The running chains; each has its sample data.
 * @throws {@link DevnetError} `DEVNET_ENGINE_UNAVAILABLE`, `DEVNET_ENGINE_FAILED`, `DEVNET_STATE_UNREADABLE`,
 * `DEVNET_SEED_FAILED` or `DEVNET_LOCKED`; the reason of the signal when that was aborted.
 * @example
 * const devnet = await startDevnet({ dataDirectory: '.fairlead/devnet' })
 * for (const { chain, url } of devnet.chains) console.log(chain, url)
 * await devnet.stop()
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { dataDirectory, ...rest } = options
  const evm = await startEvmChain({ ...rest, directory: join(dataDirectory, 'evm') })
  return { chains: [evm], stop: () => evm.stop() }
}
