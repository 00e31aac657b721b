import { setHasher } from '@chainsafe/persistent-merkle-tree'
import { hasher } from '@chainsafe/persistent-merkle-tree/hasher/as-sha256'
import { computeEpochAtSlot, getEffectiveBalanceIncrementsZeroInactive } from '@lodestar/state-transition'
import { EFFECTIVE_BALANCE_INCREMENT, SLOTS_PER_EPOCH } from '@lodestar/params'
import { toRootHex } from '@lodestar/utils'
import { BlockImport } from './block-import.ts'
import { BlockProducer } from './block-producer.ts'
import { BlockStore } from './block-store.ts'
import { ChainEvents } from './chain-events.ts'
import type { ChainParts } from './chain-parts.ts'
import { DevnetBeaconChain } from './devnet-beacon-chain.ts'
import { ExecutionLayer } from './execution-layer.ts'
import { ForkChoice } from './fork-choice.ts'
import { createDevnetConfig, createGenesis, validatorCount } from './genesis.ts'
import { LightClientServer } from './light-client-data.ts'
import { Liveness } from './liveness.ts'
import { Pools } from './pools.ts'
import { plainSlot, planSlot } from './slot-schedule.ts'
import { SlotWork } from './slot-work.ts'
import { StateStore } from './state-store.ts'
import { ValidatorKeys } from './validator-keys.ts'

// Several times as fast as the default, which is written in JavaScript.
setHasher(hasher)

// Five epochs are enough for a chain that has finalized history when it opens.
const defaultFinishedSlots = 5 * SLOTS_PER_EPOCH
const defaultMaxSlots = 8_192

/** Options of a new chain. */
export interface BeaconChainOptions {
  readonly secondsPerSlot: number
  /** Whether the chain branches on its schedule. */
  readonly branching: boolean
  /** Called with each error that does not stop the chain. */
  readonly onFault: (error: unknown) => void
  /** Number of slots in the past of the chain when it opens; 40 by default. */
  readonly finishedSlots?: number | undefined
  /** Number of slots for which blocks and states are stored; 8192 by default. */
  readonly maxSlots?: number | undefined
}

/**
 * Creates a beacon chain with all its validators and its execution layer, and runs its first slots.
 *
 * @param options See {@link BeaconChainOptions}.
 * @returns The chain; it does not follow the clock yet.
 */
export async function createBeaconChain(options: BeaconChainOptions): Promise<DevnetBeaconChain> {
  const {
    secondsPerSlot,
    onFault,
    finishedSlots = defaultFinishedSlots,
    maxSlots = defaultMaxSlots,
  } = options
  const genesisTime = Math.floor(Date.now() / 1_000) - finishedSlots * secondsPerSlot
  const forkConfig = createDevnetConfig(secondsPerSlot)
  const keys = new ValidatorKeys(validatorCount)
  const execution = await ExecutionLayer.create({ genesisTime, chainId: forkConfig.DEPOSIT_CHAIN_ID })
  const genesis = createGenesis({
    forkConfig,
    time: genesisTime,
    pubkeys: keys.pubkeys,
    executionPayload: execution.genesis,
  })
  const { config } = genesis

  const executionBlockHash = toRootHex(execution.genesis.blockHash)
  const blocks = new BlockStore({ block: genesis.block, executionBlockHash })
  const head = blocks.genesis
  const states = new StateStore(blocks, genesis.state)
  const start = { epoch: computeEpochAtSlot(head.slot), root: head.root }
  const forkChoice = new ForkChoice(
    {
      ...head,
      justified: start,
      finalized: start,
      unrealizedJustified: start,
      unrealizedFinalized: start,
    },
    {
      slotsPerEpoch: SLOTS_PER_EPOCH,
      proposerScoreBoost: config.PROPOSER_SCORE_BOOST,
      balancesAt: ({ epoch, root }) =>
        Array.from(
          getEffectiveBalanceIncrementsZeroInactive(states.advanced(root, epoch * SLOTS_PER_EPOCH)),
          (increments) => increments * EFFECTIVE_BALANCE_INCREMENT,
        ),
    },
  )
  const events = new ChainEvents(onFault)
  const liveness = new Liveness()
  const parts: ChainParts = { config, blocks, states, forkChoice, execution, events, liveness, head }

  const pools = new Pools(parts)
  const lightClient = new LightClientServer(parts)
  const imports = new BlockImport({ parts, pools, lightClient, maxSlots })
  const producer = new BlockProducer({ parts, pools })
  const plan = options.branching ? planSlot : () => plainSlot
  const work = new SlotWork({ parts, pools, imports, producer, keys, plan })
  const chain = new DevnetBeaconChain({
    parts,
    pools,
    lightClient,
    imports,
    producer,
    work,
    genesisTime,
    onFault,
  })
  for (let slot = 1; slot < finishedSlots; slot++) await chain.runSlot(slot)
  return chain
}
