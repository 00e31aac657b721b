import {
  bits256,
  constructor,
  fields,
  grams,
  hashmapE,
  int32Key,
  maybe,
  uint,
  varUInteger32,
} from './tl-b.ts'

/** `BurningConfig`: the address that burns coins, and the burned share of the fees. */
export const burningConfig = constructor(
  'burning_config#01',
  fields({ blackhole_addr: maybe(bits256), fee_burn_num: uint(32), fee_burn_denom: uint(32) }),
)

/** `ConfigParam 6`: prices of extra currencies. */
export const mintPrices = fields({ mint_new_price: grams, mint_add_price: grams })

/** `ConfigParam 7`: amounts of extra currencies by their id. */
export const extraCurrencies = fields({ to_mint: hashmapE(int32Key, varUInteger32) })

/** `BlockCreateFees`: the reward for a block. */
export const blockCreateFees = constructor(
  'block_grams_created#6b',
  fields({ masterchain_block_fee: grams, basechain_block_fee: grams }),
)
