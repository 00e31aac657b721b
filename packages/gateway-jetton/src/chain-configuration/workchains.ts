import { bits256, bool, constructor, fields, hashmapE, int, int32Key, oneOf, uint } from './tl-b.ts'

/** `GlobalVersion`: version and capabilities of the TON nodes. */
export const globalVersion = constructor(
  'capabilities#c4',
  fields({ version: uint(32), capabilities: uint(64) }),
)

/** `ConfigParam 19`: identifies the network. */
export const globalId = fields({ global_id: int(32) })

const workchainFormat = oneOf(
  constructor('wfmt_basic#1', fields({ vm_version: int(32), vm_mode: uint(64) })),
  constructor(
    'wfmt_ext#0',
    fields({
      min_addr_len: uint(12),
      max_addr_len: uint(12),
      addr_len_step: uint(12),
      workchain_type_id: uint(32),
    }),
  ),
)

const splitMergeTimings = constructor(
  'wc_split_merge_timings#0',
  fields({
    split_merge_delay: uint(32),
    split_merge_interval: uint(32),
    min_split_merge_interval: uint(32),
    max_split_merge_delay: uint(32),
  }),
)

const workchain = {
  enabled_since: uint(32),
  monitor_min_split: uint(8),
  min_split: uint(8),
  max_split: uint(8),
  basic: uint(1),
  active: bool,
  accept_msgs: bool,
  flags: uint(13),
  zerostate_root_hash: bits256,
  zerostate_file_hash: bits256,
  version: uint(32),
  format: workchainFormat,
}

const workchainDescr = oneOf(
  constructor('workchain#a6', fields(workchain)),
  constructor('workchain_v2#a7', (slice) => {
    const decoded = fields({ ...workchain, split_merge_timings: splitMergeTimings })(slice)
    // Later releases of the TON node added a field without another tag.
    return slice.remainingBits === 0 ? decoded : { ...decoded, persistent_state_split_depth: uint(8)(slice) }
  }),
)

/** `ConfigParam 12`: workchains by their id. */
export const workchains = fields({ workchains: hashmapE(int32Key, workchainDescr) })
