import type { Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'

const names = Object.keys(methods satisfies Readonly<Record<string, Method>>)

/** Only the namespaces of which a method is offered; a node names all that it has, `admin` for example. */
export const rpcModules: Adapter = {
  mend: (result, { grant: { withheldMethods = [] } }) => {
    if (!isRecord(result)) return result
    const offered = new Set(
      names.filter((name) => !withheldMethods.includes(name)).map((name) => name.slice(0, name.indexOf('_'))),
    )
    return Object.fromEntries(Object.entries(result).filter(([module]) => offered.has(module)))
  },
}
