import { constructor, type Fields, fields, maybe, oneOf, uint } from './tl-b.ts'

const paramLimits = constructor(
  'param_limits#c3',
  fields({ underload: uint(32), soft_limit: uint(32), hard_limit: uint(32) }),
)

const importedMsgQueueLimits = constructor(
  'imported_msg_queue_limits#d3',
  fields({ max_bytes: uint(32), max_msgs: uint(32) }),
)

const blockLimit = { bytes: paramLimits, gas: paramLimits, lt_delta: paramLimits }

/** `BlockLimits`. */
export const blockLimits = oneOf(
  constructor('block_limits#5d', fields(blockLimit)),
  constructor(
    'block_limits_v2#5e',
    fields({ ...blockLimit, collated_data: paramLimits, imported_msg_queue: importedMsgQueueLimits }),
  ),
)

const messageLimits = {
  max_msg_bits: uint(32),
  max_msg_cells: uint(32),
  max_library_cells: uint(32),
  max_vm_data_depth: uint(16),
  max_ext_msg_size: uint(32),
  max_ext_msg_depth: uint(16),
}

const accountLimits = {
  max_acc_public_libraries: uint(32),
  defer_out_queue_size_limit: uint(32),
  max_msg_extra_currencies: uint(32),
}

const laterLimits = {
  max_mc_acc_state_cells: uint(32),
  ...accountLimits,
  max_acc_fixed_prefix_length: uint(8),
  acc_state_cells_for_storage_dict: uint(32),
}
const latestLimits = { ...laterLimits, max_transaction_library_loads: maybe(uint(32)) }

// By the number of bits after `max_acc_state_cells`: releases of the TON node use one tag for different records.
const sizeLimitsV2: Readonly<Record<number, Fields>> = {
  128: { max_acc_state_bits: uint(32), ...accountLimits },
  136: { max_acc_state_bits: uint(32), ...accountLimits, max_acc_fixed_prefix_length: uint(8) },
  168: laterLimits,
  169: latestLimits,
  201: latestLimits,
}

/** `SizeLimitsConfig`. */
export const sizeLimits = oneOf(
  constructor('size_limits_config#01', fields(messageLimits)),
  constructor('size_limits_config_v2#02', (slice) => {
    const decoded = fields({ ...messageLimits, max_acc_state_cells: uint(32) })(slice)
    return { ...decoded, ...fields(sizeLimitsV2[slice.remainingBits] ?? {})(slice) }
  }),
)
