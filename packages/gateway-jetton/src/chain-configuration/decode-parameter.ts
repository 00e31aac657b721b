import { Cell } from '@ton/core'
import {
  configAddr,
  dnsRootAddr,
  electorAddr,
  feeCollectorAddr,
  fundamentalSmcAddr,
  minterAddr,
  suspendedAddressList,
} from './addresses.ts'
import { jettonBridge, oracleBridge } from './bridges.ts'
import { catchainConfig, consensusConfig, newConsensusConfigAll } from './consensus.ts'
import { blockCreateFees, burningConfig, extraCurrencies, mintPrices } from './currencies.ts'
import { blockLimits, sizeLimits } from './limits.ts'
import { gasLimitsPrices, msgForwardPrices, precompiledContracts, storagePrices } from './prices.ts'
import { type JsonObject, readCell, type Reader } from './tl-b.ts'
import {
  electionTimes,
  misbehaviourPunishment,
  signedTempKeys,
  stakes,
  validatorCounts,
  validatorSet,
} from './validators.ts'
import { complaintPricing, configVotingSetup, criticalParams, mandatoryParams } from './voting.ts'
import { globalId, globalVersion, workchains } from './workchains.ts'

/** `ConfigParam` of `block.tlb` in the TON node, by number. */
const parameters: Readonly<Record<number, Reader<JsonObject>>> = {
  0: configAddr,
  1: electorAddr,
  2: minterAddr,
  3: feeCollectorAddr,
  4: dnsRootAddr,
  5: burningConfig,
  6: mintPrices,
  7: extraCurrencies,
  8: globalVersion,
  9: mandatoryParams,
  10: criticalParams,
  11: configVotingSetup,
  12: workchains,
  13: complaintPricing,
  14: blockCreateFees,
  15: electionTimes,
  16: validatorCounts,
  17: stakes,
  18: storagePrices,
  19: globalId,
  20: gasLimitsPrices,
  21: gasLimitsPrices,
  22: blockLimits,
  23: blockLimits,
  24: msgForwardPrices,
  25: msgForwardPrices,
  28: catchainConfig,
  29: consensusConfig,
  30: newConsensusConfigAll,
  31: fundamentalSmcAddr,
  32: validatorSet,
  33: validatorSet,
  34: validatorSet,
  35: validatorSet,
  36: validatorSet,
  37: validatorSet,
  39: signedTempKeys,
  40: misbehaviourPunishment,
  43: sizeLimits,
  44: suspendedAddressList,
  45: precompiledContracts,
  71: oracleBridge,
  72: oracleBridge,
  73: oracleBridge,
  79: jettonBridge,
  81: jettonBridge,
  82: jettonBridge,
}

/**
 * Decodes a parameter of the chain configuration as `block.tlb` of the TON node declares it.
 *
 * @param id - number of the parameter
 * @param boc - its cell as a bag of cells in base64
 * @returns its fields under their TL-B names; `{ cell }` with the same base64 for a number that TL-B does not list and
 * for a cell that does not match TL-B
 * @throws when `boc` is not a bag of cells
 * @example
 * decodeParameter(19, 'te6cckEBAQEABgAACP///xHmo3/3') // { global_id: -239 }
 */
export function decodeParameter(id: number, boc: string): JsonObject {
  const cell = Cell.fromBase64(boc)
  const reader = parameters[id]
  if (reader === undefined) return { cell: boc }
  try {
    return readCell(cell, reader)
  } catch {
    return { cell: boc }
  }
}
