import { type ApiClient, getClient, type HttpClientOptions } from '@lodestar/api'
import {
  type BeaconConfig,
  chainConfigFromJson,
  createBeaconConfig,
  createChainForkConfig,
} from '@lodestar/config'
import { minimalChainConfig } from '@lodestar/config/configs'
import { genesisData } from '@lodestar/config/networks'
import { SLOTS_PER_EPOCH } from '@lodestar/params'
import { toRootHex } from '@lodestar/utils'

// The library encodes Gloas messages only for a Gloas slot. The chain never reaches this epoch, so the client may
// assume it.
const gloasEpoch = 2 ** 32

/** A slot of the Gloas fork, for messages of that fork. */
export const gloasSlot = gloasEpoch * SLOTS_PER_EPOCH

/** Constants of a chain. */
export interface Chain {
  readonly config: BeaconConfig
  /** Unix time in seconds. */
  readonly genesisTime: number
}

/** The current position of a chain. */
export interface Head {
  readonly headSlot: number
  readonly headRoot: string
  /** The slot by the clock. The head may be older. */
  readonly currentSlot: number
  readonly epoch: number
  readonly finalizedRoot: string
}

/** Creates the client as its users do for a private chain: from the specification and genesis that the node returns. */
export async function connect(options: HttpClientOptions): Promise<{ api: ApiClient; chain: Chain }> {
  const unauthenticated = getClient(options, { config: createChainForkConfig(minimalChainConfig) })
  const { genesisTime, genesisValidatorsRoot } = (await unauthenticated.beacon.getGenesis()).value()
  const chain = chainConfigFromJson((await unauthenticated.config.getSpec()).value())
  const config = createBeaconConfig({ ...chain, GLOAS_FORK_EPOCH: gloasEpoch }, genesisValidatorsRoot)
  // The digests in light client updates require the genesis, which the library looks up by network name.
  const genesis = { genesisTime, genesisValidatorsRoot: toRootHex(genesisValidatorsRoot) }
  Object.assign(genesisData, { [config.CONFIG_NAME]: genesis })
  return { api: getClient(options, { config }), chain: { config, genesisTime } }
}

/** Reads head and finality with the client under test. */
export async function readHead(api: ApiClient, { config, genesisTime }: Chain): Promise<Head> {
  const head = (await api.beacon.getBlockHeader({ blockId: 'head' })).value()
  const { finalized } = (await api.beacon.getStateFinalityCheckpoints({ stateId: 'head' })).value()
  const headSlot = head.header.message.slot
  return {
    headSlot,
    headRoot: toRootHex(head.root),
    currentSlot: Math.floor((Date.now() - genesisTime * 1_000) / config.SLOT_DURATION_MS),
    epoch: Math.floor(headSlot / SLOTS_PER_EPOCH),
    finalizedRoot: toRootHex(finalized.root),
  }
}
