import { latencyClassOf } from './latency-class.ts'
import type { ProtocolCost } from '@fairlead/gateway-core/usage/units'

// Methods for which an upstream executes transactions again.
const tracing = /^(?:debug|trace|arbtrace|ots)_/

const expensive =
  /^(?:(?:debug|trace|arbtrace|erigon|ots)_\w+|eth_(?:getLogs|getFilterLogs|simulateV1|callMany|createAccessList))$/

/**
 * Costs of EVM methods. `eth_call` and sending a transaction are not expensive, because applications cannot work
 * without them.
 */
export const evmCost: ProtocolCost = {
  units: (method) => (tracing.test(method) ? 2 : 1),
  isExpensive: (method) => expensive.test(method) && latencyClassOf(method) === 'long',
}
