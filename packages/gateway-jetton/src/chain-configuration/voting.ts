import { constructor, fields, grams, int32Key, ref, set, uint } from './tl-b.ts'

/** `ConfigParam 9`: parameters that cannot be removed. */
export const mandatoryParams = fields({ mandatory_params: set(int32Key) })
/** `ConfigParam 10`: parameters that are harder to change. */
export const criticalParams = fields({ critical_params: set(int32Key) })

const configProposalSetup = constructor(
  'cfg_vote_cfg#36',
  fields({
    min_tot_rounds: uint(8),
    max_tot_rounds: uint(8),
    min_wins: uint(8),
    max_losses: uint(8),
    min_store_sec: uint(32),
    max_store_sec: uint(32),
    bit_price: uint(32),
    cell_price: uint(32),
  }),
)

/** `ConfigVotingSetup`: how the configuration is changed. */
export const configVotingSetup = constructor(
  'cfg_vote_setup#91',
  fields({ normal_params: ref(configProposalSetup), critical_params: ref(configProposalSetup) }),
)

/** `ComplaintPricing`: what a complaint about a validator costs. */
export const complaintPricing = constructor(
  'complaint_prices#1a',
  fields({ deposit: grams, bit_price: grams, cell_price: grams }),
)
