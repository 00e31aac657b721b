import { paceOf } from '../forward/call-pace.ts'

const dearForm =
  /^(?:(?:debug|trace|arbtrace|erigon|ots)_\w+|eth_(?:getLogs|getFilterLogs|simulateV1|callMany|createAccessList))$/

/**
 * Tells the calls that a node works on for long. They are refused first when there is too much to do; `eth_call` and the
 * sending of transactions are not among them, as nothing goes on without these.
 */
export function isDear(method: string): boolean {
  return dearForm.test(method) && paceOf(method) === 'slow'
}
