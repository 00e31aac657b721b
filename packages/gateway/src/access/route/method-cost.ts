import { paceOf } from '../forward/call-pace.ts'
import type { ProtocolCost } from '../meter/units.ts'

// What a node has to compute anew.
const tracing = /^(?:debug|trace|arbtrace|ots)_/

const expensive =
  /^(?:(?:debug|trace|arbtrace|erigon|ots)_\w+|eth_(?:getLogs|getFilterLogs|simulateV1|callMany|createAccessList))$/

/**
 * What EVM methods cost. `eth_call` and the sending of transactions are not expensive, as nothing goes on without these.
 */
export const evmCost: ProtocolCost = {
  units: (method) => (tracing.test(method) ? 2 : 1),
  isExpensive: (method) => expensive.test(method) && paceOf(method) === 'slow',
}
