import { join } from 'node:path'
import { startBeaconNode, type BeaconNode } from './beacon/start.ts'
import type { DevnetEvent } from './runtime/devnet-event.ts'
import { startEvmChain, type EvmChain } from './evm/evm-chain.ts'
import { startJettonNode, type JettonNode } from './jetton/start.ts'
import { startSolanaNode, type SolanaNode } from './solana/start.ts'

/** How to run the development chains. */
export interface DevnetOptions<names extends DevnetChainNames = DevnetChainNames> {
  /** Directory for state, ports and locks; created when missing. One running devnet per directory. */
  dataDirectory: string
  /** Which chains to run; all of them when left out. */
  chains?: names | undefined
  /** How to run the beacon chain. */
  beacon?: BeaconOptions | undefined
  /** How to run the jetton chain. */
  jetton?: JettonOptions | undefined
  /** How to run the Solana chain. */
  solana?: SolanaOptions | undefined
  /** Hears what the chains do. */
  onEvent?: ((event: DevnetEvent) => void) | undefined
  /** Aborting it ends the start, or later the running chains. */
  signal?: AbortSignal | undefined
  /** Path of an anvil program to run in place of the one that npm installed. */
  anvilPath?: string | undefined
}

/** How to run the beacon chain. */
export interface BeaconOptions {
  /** Seconds from one slot to the next; 2 when left out. */
  secondsPerSlot?: number | undefined
  /** Whether the chain branches now and then, as a network does; true when left out. */
  branching?: boolean | undefined
}

/** How to run the jetton chain. */
export interface JettonOptions {
  /** Seconds from one block to the next when nothing happens, 5 when left out; 0 for no such blocks. */
  secondsPerBlock?: number | undefined
}

/** How to run the Solana chain. */
export interface SolanaOptions {
  /** Seconds from one slot to the next; 0.4 when left out. */
  secondsPerSlot?: number | undefined
  /** Whether a few transactions of the chain's own come in each slot; true when left out. */
  traffic?: boolean | undefined
  /** Whether a slot is made on a losing branch now and then; false when left out. */
  branching?: boolean | undefined
  /** Blocks upon a block that make it final; 32 when left out. */
  finalityBlocks?: number | undefined
}

/** The EVM chain as its users see it. */
export type EvmDevnetChain = Omit<EvmChain, 'stop'>

/** The beacon chain as its users see it. */
export type BeaconDevnetChain = Omit<BeaconNode, 'stop'>

/** The jetton chain as its users see it. */
export type JettonDevnetChain = Omit<JettonNode, 'stop'>

/** The Solana chain as its users see it. */
export type SolanaDevnetChain = Omit<SolanaNode, 'stop'>

/** A development chain as its users see it; `chain` tells which one. */
export type DevnetChain = EvmDevnetChain | BeaconDevnetChain | JettonDevnetChain | SolanaDevnetChain

/** Names of development chains, in the order of their wish. */
export type DevnetChainNames = readonly DevnetChain['chain'][]

/** All development chains. */
export type AllDevnetChains = readonly ['evm', 'beacon', 'jetton', 'solana']

/** The running development chains. */
export interface Devnet<names extends DevnetChainNames = DevnetChainNames> {
  /** In the order in which they were asked for; by default the EVM, the beacon, the jetton and the Solana chain. */
  readonly chains: { readonly [position in keyof names]: Extract<DevnetChain, { chain: names[position] }> }
  /** Saves the state and ends the chains; may be called more than once. */
  stop(): Promise<void>
}

/**
 * Starts the development chains and keeps them running until they are stopped or this process ends. When one of them
 * cannot be started, none is left running.
 *
 * @param options Which chains, where their state lives and who hears about them.
 * @returns The running chains; all but the beacon chain have their sample data.
 * @throws {@link DevnetError} `DEVNET_ENGINE_UNAVAILABLE`, `DEVNET_ENGINE_FAILED`, `DEVNET_STATE_UNREADABLE`,
 * `DEVNET_SEED_FAILED` or `DEVNET_LOCKED`; the reason of the signal when that was aborted.
 * @example
 * const devnet = await startDevnet({ dataDirectory: '.fairlead/devnet' })
 * const [evm, beacon, jetton, solana] = devnet.chains
 * console.log(evm.url, beacon.url, jetton.url, solana.url)
 * await devnet.stop()
 */
export async function startDevnet<const names extends DevnetChainNames = AllDevnetChains>(
  options: DevnetOptions<names>,
): Promise<Devnet<names>> {
  const all: AllDevnetChains = ['evm', 'beacon', 'jetton', 'solana']
  const { dataDirectory, chains: names = all, beacon, jetton, solana, anvilPath, onEvent } = options
  const failing = new AbortController()
  const signal = AbortSignal.any([failing.signal, ...(options.signal === undefined ? [] : [options.signal])])
  const start = {
    evm: () => startEvmChain({ directory: join(dataDirectory, 'evm'), anvilPath, onEvent, signal }),
    beacon: () => startBeaconNode({ directory: join(dataDirectory, 'beacon'), ...beacon, onEvent, signal }),
    jetton: () => startJettonNode({ directory: join(dataDirectory, 'jetton'), ...jetton, onEvent, signal }),
    solana: () => startSolanaNode({ directory: join(dataDirectory, 'solana'), ...solana, onEvent, signal }),
  }
  // The first failure ends the others' starts, which then fail with it as well.
  const starts = names.map((name) =>
    start[name]().catch((error: unknown) => {
      failing.abort(error)
      throw error
    }),
  )
  const outcomes = await Promise.allSettled<EvmChain | BeaconNode | JettonNode | SolanaNode>(starts)
  const chains = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const stop = async () => {
    await Promise.all(chains.map((chain) => chain.stop()))
  }
  if (chains.length < names.length) {
    await stop()
    throw failing.signal.reason
  }
  // One chain for each name, in the order of the names.
  return { chains: chains as unknown as Devnet<names>['chains'], stop }
}
