import { join } from 'node:path'
import { startBeaconNode, type BeaconNode } from './beacon/start.ts'
import type { DevnetEvent } from './runtime/devnet-event.ts'
import { startEvmChain, type EvmChain } from './evm/evm-chain.ts'
import { startJettonNode, type JettonNode } from './jetton/start.ts'
import { startSolanaNode, type SolanaNode } from './solana/start.ts'

/** Options of the development chains. */
export interface DevnetOptions<names extends DevnetChainNames = DevnetChainNames> {
  /** Directory for state, ports and locks; created if it does not exist. One running devnet per directory. */
  dataDirectory: string
  /** Names of the chains to run; all chains by default. */
  chains?: names | undefined
  /** Options of the beacon chain. */
  beacon?: BeaconOptions | undefined
  /** Options of the jetton chain. */
  jetton?: JettonOptions | undefined
  /** Options of the Solana chain. */
  solana?: SolanaOptions | undefined
  /** Called with each event of the chains. */
  onEvent?: ((event: DevnetEvent) => void) | undefined
  /** Aborting this signal stops the start, or later the running chains. */
  signal?: AbortSignal | undefined
  /** Path of an anvil executable that replaces the one installed by npm. */
  anvilPath?: string | undefined
}

/** Options of the beacon chain. */
export interface BeaconOptions {
  /** Seconds from one slot to the next; 2 by default. */
  secondsPerSlot?: number | undefined
  /** Whether the chain branches on a schedule, as a real network occasionally does; true by default. */
  branching?: boolean | undefined
}

/** Options of the jetton chain. */
export interface JettonOptions {
  /** Seconds between two blocks without messages, 5 by default; 0 disables such blocks. */
  secondsPerBlock?: number | undefined
}

/** Options of the Solana chain. */
export interface SolanaOptions {
  /** Seconds from one slot to the next; 0.4 by default. */
  secondsPerSlot?: number | undefined
  /** Whether each slot contains a few generated transactions; true by default. */
  traffic?: boolean | undefined
  /** Whether some slots are produced on a losing branch; false by default. */
  branching?: boolean | undefined
  /** Number of blocks after a block that make it final; 32 by default. */
  finalityBlocks?: number | undefined
}

/** The public interface of the EVM chain. */
export type EvmDevnetChain = Omit<EvmChain, 'stop'>

/** The public interface of the beacon chain. */
export type BeaconDevnetChain = Omit<BeaconNode, 'stop'>

/** The public interface of the jetton chain. */
export type JettonDevnetChain = Omit<JettonNode, 'stop'>

/** The public interface of the Solana chain. */
export type SolanaDevnetChain = Omit<SolanaNode, 'stop'>

/** The public interface of a development chain; `chain` identifies it. */
export type DevnetChain = EvmDevnetChain | BeaconDevnetChain | JettonDevnetChain | SolanaDevnetChain

/** Names of development chains, in the requested order. */
export type DevnetChainNames = readonly DevnetChain['chain'][]

/** All development chains. */
export type AllDevnetChains = readonly ['evm', 'beacon', 'jetton', 'solana']

/** The running development chains. */
export interface Devnet<names extends DevnetChainNames = DevnetChainNames> {
  /** In the requested order; by default the EVM, the beacon, the jetton and the Solana chain. */
  readonly chains: { readonly [position in keyof names]: Extract<DevnetChain, { chain: names[position] }> }
  /** Saves the state and stops the chains; may be called more than once. */
  stop(): Promise<void>
}

/**
 * Starts the development chains and keeps them running until they are stopped or this process ends. If one of them
 * cannot be started, the others are stopped.
 *
 * @param options Which chains to run, where to store their state and where to report their events.
 * @returns The running chains; all except the beacon chain have their sample data.
 * @throws {@link DevnetError} `DEVNET_ENGINE_UNAVAILABLE`, `DEVNET_ENGINE_FAILED`, `DEVNET_STATE_UNREADABLE`,
 * `DEVNET_SEED_FAILED` or `DEVNET_LOCKED`; the abort reason when the signal is aborted.
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
  // The first failure aborts the other starts, which then fail as well.
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
