import {
  bits256Key,
  type Constructor,
  constructor,
  fields,
  hashmap,
  hashmapE,
  oneOf,
  type Reader,
  type JsonObject,
  uint,
  uintKey,
} from './tl-b.ts'

const storagePrice = constructor(
  '_#cc',
  fields({
    utime_since: uint(32),
    bit_price_ps: uint(64),
    cell_price_ps: uint(64),
    mc_bit_price_ps: uint(64),
    mc_cell_price_ps: uint(64),
  }),
)

/** `ConfigParam 18`: prices of storage over time, by their index. */
export const storagePrices = hashmap(uintKey(32), storagePrice)

const gasPrice = { gas_price: uint(64), gas_limit: uint(64) }
const gasLimits = {
  gas_credit: uint(64),
  block_gas_limit: uint(64),
  freeze_due_limit: uint(64),
  delete_due_limit: uint(64),
}

// The prices after the flat prefix become fields of the same object.
const flatPrefix: Constructor = constructor('gas_flat_pfx#d1', (slice) => ({
  ...fields({ flat_gas_limit: uint(64), flat_gas_price: uint(64) })(slice),
  ...gasLimitsPrices(slice),
}))

/** `GasLimitsPrices`. */
export const gasLimitsPrices: Reader<JsonObject> = oneOf(
  flatPrefix,
  constructor('gas_prices#dd', fields({ ...gasPrice, ...gasLimits })),
  constructor('gas_prices_ext#de', fields({ ...gasPrice, special_gas_limit: uint(64), ...gasLimits })),
)

/** `MsgForwardPrices`. */
export const msgForwardPrices = constructor(
  'msg_forward_prices#ea',
  fields({
    lump_price: uint(64),
    bit_price: uint(64),
    cell_price: uint(64),
    ihr_price_factor: uint(32),
    first_frac: uint(16),
    next_frac: uint(16),
  }),
)

/** `PrecompiledContractsConfig`: gas that contracts are charged for, by the hash of their code. */
export const precompiledContracts = constructor(
  'precompiled_contracts_config#c0',
  fields({
    list: hashmapE(bits256Key, constructor('precompiled_smc#b0', fields({ gas_usage: uint(64) }))),
  }),
)
