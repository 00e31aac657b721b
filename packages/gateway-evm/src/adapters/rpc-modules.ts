import type { Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'

const names = Object.keys(methods satisfies Readonly<Record<string, Method>>)

/**
 * Returns only namespaces with at least one offered method. An upstream lists all of its namespaces, for example
 * `admin`.
 */
export const rpcModules: Adapter = {
  transformResult: (result, { grant: { withheldMethods = [] } }) => {
    if (!isRecord(result)) return result
    const offered = new Set(
      names.filter((name) => !withheldMethods.includes(name)).map((name) => name.slice(0, name.indexOf('_'))),
    )
    return Object.fromEntries(Object.entries(result).filter(([module]) => offered.has(module)))
  },
}
