import { bool, constructor, fields, hashmapE, maybe, oneOf, ref, uint, uintKey } from './tl-b.ts'

const lifetimes = {
  mc_catchain_lifetime: uint(32),
  shard_catchain_lifetime: uint(32),
  shard_validators_lifetime: uint(32),
  shard_validators_num: uint(32),
}

/** `CatchainConfig`. */
export const catchainConfig = oneOf(
  constructor('catchain_config#c1', fields(lifetimes)),
  constructor(
    'catchain_config_new#c2',
    fields({ flags: uint(7), shuffle_mc_validators: bool, ...lifetimes }),
  ),
)

const rounds = {
  next_candidate_delay_ms: uint(32),
  consensus_timeout_ms: uint(32),
  fast_attempts: uint(32),
  attempt_duration: uint(32),
  catchain_max_deps: uint(32),
  max_block_bytes: uint(32),
  max_collated_bytes: uint(32),
}
const roundsOfNew = { flags: uint(7), new_catchain_ids: bool, round_candidates: uint(8), ...rounds }
const roundsOfV3 = { ...roundsOfNew, proto_version: uint(16) }

/** `ConsensusConfig`. */
export const consensusConfig = oneOf(
  constructor('consensus_config#d6', fields({ round_candidates: uint(32), ...rounds })),
  constructor('consensus_config_new#d7', fields(roundsOfNew)),
  constructor('consensus_config_v3#d8', fields(roundsOfV3)),
  constructor('consensus_config_v4#d9', fields({ ...roundsOfV3, catchain_max_blocks_coeff: uint(32) })),
)

const newConsensusConfig = oneOf(
  constructor(
    'simplex_config#21',
    fields({
      flags: uint(7),
      use_quic: bool,
      target_rate_ms: uint(32),
      slots_per_leader_window: uint(32),
      first_block_timeout_ms: uint(32),
      max_leader_window_desync: uint(32),
    }),
  ),
  constructor(
    'simplex_config_v2#22',
    fields({
      flags: uint(7),
      use_quic: bool,
      slots_per_leader_window: uint(32),
      noncritical_params: hashmapE(uintKey(8), uint(32)),
    }),
  ),
)

/** `NewConsensusConfigAll`: consensus of the masterchain and of the shards. */
export const newConsensusConfigAll = constructor(
  'new_consensus_config_all#10',
  fields({ mc: maybe(ref(newConsensusConfig)), shard: maybe(ref(newConsensusConfig)) }),
)
