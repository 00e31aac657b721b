import { createHash } from 'node:crypto'
import {
  createBeaconConfig,
  createChainForkConfig,
  type BeaconConfig,
  type ChainForkConfig,
} from '@lodestar/config'
import { minimalChainConfig } from '@lodestar/config/configs'
import {
  BLS_WITHDRAWAL_PREFIX,
  EPOCHS_PER_HISTORICAL_VECTOR,
  ETH1_ADDRESS_WITHDRAWAL_PREFIX,
  FAR_FUTURE_EPOCH,
  ForkSeq,
  GENESIS_EPOCH,
  MIN_ACTIVATION_BALANCE,
  MIN_SEED_LOOKAHEAD,
  UNSET_DEPOSIT_REQUESTS_START_INDEX,
} from '@lodestar/params'
import {
  computeProposerIndices,
  createCachedBeaconState,
  createPubkeyCache,
  getNextSyncCommittee,
  type CachedBeaconStateFulu,
} from '@lodestar/state-transition'
import { ssz, type deneb, type fulu } from '@lodestar/types'

/** Number of validators at genesis. */
export const validatorCount = 64

// Every fourth validator starts with a BLS withdrawal key, so that some credentials can be changed.
const blsCredentialsEvery = 4
const executionChainId = 1337

/**
 * Creates the configuration of the chain: the minimal preset, with Fulu from genesis on.
 *
 * @param secondsPerSlot Length of a slot.
 * @returns The configuration, not yet bound to a genesis.
 */
export function createDevnetConfig(secondsPerSlot: number): ChainForkConfig {
  return createChainForkConfig({
    ...minimalChainConfig,
    CONFIG_NAME: 'devnet',
    ALTAIR_FORK_EPOCH: GENESIS_EPOCH,
    BELLATRIX_FORK_EPOCH: GENESIS_EPOCH,
    CAPELLA_FORK_EPOCH: GENESIS_EPOCH,
    DENEB_FORK_EPOCH: GENESIS_EPOCH,
    ELECTRA_FORK_EPOCH: GENESIS_EPOCH,
    FULU_FORK_EPOCH: GENESIS_EPOCH,
    TERMINAL_TOTAL_DIFFICULTY: 0n,
    GENESIS_DELAY: 0,
    MIN_GENESIS_TIME: 0,
    SECONDS_PER_SLOT: secondsPerSlot,
    SLOT_DURATION_MS: secondsPerSlot * 1_000,
    // A voluntary exit is possible at once, because a development chain must not require hours of waiting.
    SHARD_COMMITTEE_PERIOD: 0,
    DEPOSIT_CHAIN_ID: executionChainId,
    DEPOSIT_NETWORK_ID: executionChainId,
  })
}

/** The genesis of the chain. */
export interface Genesis {
  readonly config: BeaconConfig
  readonly state: CachedBeaconStateFulu
  /** The genesis block, without a signature. */
  readonly block: fulu.SignedBeaconBlock
}

/** The input of a genesis. */
export interface GenesisOptions {
  readonly forkConfig: ChainForkConfig
  /** Unix time in seconds. */
  readonly time: number
  /** Public keys of the validators, in the order of their indices. */
  readonly pubkeys: readonly Uint8Array[]
  /** The genesis block of the execution layer. */
  readonly executionPayload: deneb.ExecutionPayload
}

/**
 * Creates the genesis state and block of a chain that starts at Fulu (consensus-specs, genesis for testing); every
 * validator is active with a balance of 32 ETH.
 *
 * @param options See {@link GenesisOptions}.
 * @returns State, block and the configuration bound to them.
 */
export function createGenesis({ forkConfig, time, pubkeys, executionPayload }: GenesisOptions): Genesis {
  const state = ssz.fulu.BeaconState.defaultViewDU()
  const block = ssz.fulu.SignedBeaconBlock.defaultValue()

  state.genesisTime = time
  state.fork = ssz.phase0.Fork.toViewDU({
    previousVersion: forkConfig.FULU_FORK_VERSION,
    currentVersion: forkConfig.FULU_FORK_VERSION,
    epoch: GENESIS_EPOCH,
  })
  state.latestBlockHeader = ssz.phase0.BeaconBlockHeader.toViewDU({
    ...ssz.phase0.BeaconBlockHeader.defaultValue(),
    bodyRoot: ssz.fulu.BeaconBlockBody.hashTreeRoot(block.message.body),
  })
  state.eth1Data = ssz.phase0.Eth1Data.toViewDU({
    ...ssz.phase0.Eth1Data.defaultValue(),
    blockHash: executionPayload.blockHash,
  })
  state.randaoMixes = ssz.phase0.RandaoMixes.toViewDU(
    Array.from({ length: EPOCHS_PER_HISTORICAL_VECTOR }, () => executionPayload.blockHash),
  )
  state.latestExecutionPayloadHeader = ssz.deneb.ExecutionPayloadHeader.toViewDU({
    ...executionPayload,
    transactionsRoot: ssz.bellatrix.Transactions.hashTreeRoot(executionPayload.transactions),
    withdrawalsRoot: ssz.capella.Withdrawals.hashTreeRoot(executionPayload.withdrawals),
  })
  state.depositRequestsStartIndex = UNSET_DEPOSIT_REQUESTS_START_INDEX
  for (const [index, pubkey] of pubkeys.entries()) {
    state.validators.push(
      ssz.phase0.Validator.toViewDU({
        pubkey,
        withdrawalCredentials: withdrawalCredentials(index, pubkey),
        effectiveBalance: MIN_ACTIVATION_BALANCE,
        slashed: false,
        activationEligibilityEpoch: GENESIS_EPOCH,
        activationEpoch: GENESIS_EPOCH,
        exitEpoch: FAR_FUTURE_EPOCH,
        withdrawableEpoch: FAR_FUTURE_EPOCH,
      }),
    )
    state.balances.push(MIN_ACTIVATION_BALANCE)
    state.previousEpochParticipation.push(0)
    state.currentEpochParticipation.push(0)
    state.inactivityScores.push(0)
  }
  state.commit()
  state.genesisValidatorsRoot = state.validators.hashTreeRoot()

  const config = createBeaconConfig(forkConfig, state.genesisValidatorsRoot)
  const immutable = { config, pubkeyCache: createPubkeyCache() }
  // Committees and proposers are derived from a state that has neither yet.
  const { epochCtx } = createCachedBeaconState(state, immutable, { skipSyncCommitteeCache: true })
  const { syncCommittee } = getNextSyncCommittee(
    ForkSeq.fulu,
    state,
    epochCtx.currentShuffling.activeIndices,
    epochCtx.effectiveBalanceIncrements,
  )
  state.currentSyncCommittee = ssz.altair.SyncCommittee.toViewDU(syncCommittee)
  state.nextSyncCommittee = ssz.altair.SyncCommittee.toViewDU(syncCommittee)
  const cached = createCachedBeaconState(state, immutable, { skipSyncCommitteeCache: true })
  state.proposerLookahead = ssz.fulu.ProposerLookahead.toViewDU(
    Array.from({ length: MIN_SEED_LOOKAHEAD + 1 }, (_, ahead) => {
      const epoch = GENESIS_EPOCH + ahead
      return computeProposerIndices(ForkSeq.fulu, cached, cached.epochCtx.getShufflingAtEpoch(epoch), epoch)
    }).flat(),
  )
  state.commit()

  block.message.stateRoot = state.hashTreeRoot()
  return { config, state: createCachedBeaconState(state, immutable), block }
}

function withdrawalCredentials(index: number, pubkey: Uint8Array): Uint8Array {
  const credentials = createHash('sha256').update(pubkey).digest()
  if (index % blsCredentialsEvery === blsCredentialsEvery - 1) credentials[0] = BLS_WITHDRAWAL_PREFIX
  else {
    credentials.fill(0, 0, 12)
    credentials[0] = ETH1_ADDRESS_WITHDRAWAL_PREFIX
  }
  return new Uint8Array(credentials)
}
