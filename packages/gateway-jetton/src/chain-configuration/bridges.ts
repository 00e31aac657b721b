import { bits256, bits256Key, constructor, fields, grams, hashmapE, oneOf, ref, uint } from './tl-b.ts'

// TL-B declares a number; it is an address on the other chain.
const oracles = hashmapE(bits256Key, bits256)

/** `OracleBridgeParams`: a bridge for the coins of this chain. TL-B misspells the second field. */
export const oracleBridge = fields({
  bridge_address: bits256,
  oracle_multisig_address: bits256,
  oracles,
  external_chain_address: bits256,
})

const jettonBridgePrices = fields({
  bridge_burn_fee: grams,
  bridge_mint_fee: grams,
  wallet_min_tons_for_storage: grams,
  wallet_gas_consumption: grams,
  minter_min_tons_for_storage: grams,
  discover_gas_consumption: grams,
})

const jettonBridgeAccounts = {
  bridge_address: bits256,
  oracles_address: bits256,
  oracles,
  state_flags: uint(8),
}

/** `JettonBridgeParams`: a bridge for the tokens of another chain. */
export const jettonBridge = oneOf(
  constructor('jetton_bridge_params_v0#00', fields({ ...jettonBridgeAccounts, burn_bridge_fee: grams })),
  constructor(
    'jetton_bridge_params_v1#01',
    fields({ ...jettonBridgeAccounts, prices: ref(jettonBridgePrices), external_chain_address: bits256 }),
  ),
)
