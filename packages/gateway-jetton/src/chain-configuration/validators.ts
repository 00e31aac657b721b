import {
  bits256,
  bits256Key,
  type Constructor,
  constructor,
  fields,
  grams,
  hashmap,
  hashmapE,
  type JsonObject,
  oneOf,
  type Reader,
  ref,
  uint,
  uintKey,
} from './tl-b.ts'

/** `ConfigParam 15`: the times of an election, in seconds. */
export const electionTimes = fields({
  validators_elected_for: uint(32),
  elections_start_before: uint(32),
  elections_end_before: uint(32),
  stake_held_for: uint(32),
})

/** `ConfigParam 16`. */
export const validatorCounts = fields({
  max_validators: uint(16),
  max_main_validators: uint(16),
  min_validators: uint(16),
})

/** `ConfigParam 17`; the factor is a fixed-point number with 16 integer bits and 16 fractional bits. */
export const stakes = fields({
  min_stake: grams,
  max_stake: grams,
  min_total_stake: grams,
  max_stake_factor: uint(32),
})

// A key with one field is read as that field.
const publicKey: Reader<string> = (slice) => {
  constructor('ed25519_pubkey#8e81278a', fields({}))(slice)
  return bits256(slice)
}

const validator = { public_key: publicKey, weight: uint(64) }
const validatorDescr = oneOf(
  constructor('validator#53', fields(validator)),
  constructor('validator_addr#73', fields({ ...validator, adnl_addr: bits256 })),
)

const term = { utime_since: uint(32), utime_until: uint(32), total: uint(16), main: uint(16) }

/** `ValidatorSet`. */
export const validatorSet = oneOf(
  constructor('validators#11', fields({ ...term, list: hashmap(uintKey(16), validatorDescr) })),
  constructor(
    'validators_ext#12',
    fields({ ...term, total_weight: uint(64), list: hashmapE(uintKey(16), validatorDescr) }),
  ),
)

const signatureSimple = constructor('ed25519_signature#5', fields({ R: bits256, s: bits256 }))

const certificate = constructor(
  'certificate#4',
  fields({ temp_key: publicKey, valid_since: uint(32), valid_until: uint(32) }),
)

const chainedSignature: Constructor = constructor(
  'chained_signature#f',
  fields({
    signed_cert: ref((slice) => fields({ certificate, certificate_signature: signature })(slice)),
    temp_key_signature: signatureSimple,
  }),
)

const signature: Reader<JsonObject> = oneOf(signatureSimple, chainedSignature)

const validatorTempKey = constructor(
  'validator_temp_key#3',
  fields({ adnl_addr: bits256, temp_public_key: publicKey, seqno: uint(32), valid_until: uint(32) }),
)

/** `ConfigParam 39`: temporary signing keys of validators, by their public key. */
export const signedTempKeys = hashmapE(
  bits256Key,
  constructor('signed_temp_key#4', fields({ key: ref(validatorTempKey), signature })),
)

/** `MisbehaviourPunishmentConfig`. */
export const misbehaviourPunishment = constructor(
  'misbehaviour_punishment_config_v1#01',
  fields({
    default_flat_fine: grams,
    default_proportional_fine: uint(32),
    severity_flat_mult: uint(16),
    severity_proportional_mult: uint(16),
    unpunishable_interval: uint(16),
    long_interval: uint(16),
    long_flat_mult: uint(16),
    long_proportional_mult: uint(16),
    medium_interval: uint(16),
    medium_flat_mult: uint(16),
    medium_proportional_mult: uint(16),
  }),
)
