import { isRecord } from '@fairlead/gateway-core/json'
import type { SpecifiedMethod } from '../methods/method-policy.ts'

/**
 * Finds the param of a call that refers to the latest block: the tag `latest`, or a log filter that starts or ends
 * there.
 *
 * @param found - its method in the specification
 * @param params - by position
 * @returns its position; undefined when the call does not depend on the latest block
 */
export function latestParam(
  found: SpecifiedMethod | undefined,
  params: readonly unknown[],
): number | undefined {
  if (!found) return undefined
  const {
    method,
    policy: { highestBlock },
  } = found
  const [filter] = params
  if (method.name === 'eth_getLogs') return isRecord(filter) && endsAtLatestBlock(filter) ? 0 : undefined
  if (!highestBlock || highestBlock.field !== undefined) return undefined
  const position = highestBlock.param
  const given = position < params.length ? params[position] : method.params[position]?.schema['default']
  return given === 'latest' ? position : undefined
}

function endsAtLatestBlock({
  fromBlock = 'latest',
  toBlock = 'latest',
  blockHash,
}: Readonly<Record<string, unknown>>) {
  return blockHash === undefined && (fromBlock === 'latest' || toBlock === 'latest')
}
