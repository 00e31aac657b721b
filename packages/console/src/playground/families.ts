import { jsonRpcOperations } from './json-rpc-operations.ts'
import { type Operation, restOperations } from './operation.ts'

/** The API families that this page can call, by their names in `details` of a node. */
export type Family = 'https' | 'beacon' | 'api_v2' | 'api_v3'

/** Their labels. */
export const familyNames: Readonly<Record<Family, string>> = {
  https: 'EVM JSON-RPC',
  beacon: 'Beacon node API',
  api_v2: 'TON API v2',
  api_v3: 'TON API v3',
}

/** In display order. */
export const families = Object.keys(familyNames).filter((name): name is Family => name in familyNames)

const loaders: Readonly<Record<Family, () => Promise<readonly Operation[]>>> = {
  https: async () => {
    const { methods, schemas } = await import('@fairlead/evm-rpc/contract')
    return jsonRpcOperations(methods, schemas)
  },
  beacon: async () => {
    const { routes, schemas } = await import('@fairlead/beacon/contract')
    return restOperations(routes, schemas)
  },
  api_v2: async () => {
    const { v2 } = await import('@fairlead/jetton/contract')
    return restOperations(v2.routes, v2.schemas)
  },
  api_v3: async () => {
    const { v3 } = await import('@fairlead/jetton/contract')
    return restOperations(v3.routes, v3.schemas)
  },
}

/** Loads the operations of a family, together with the contract of the family. */
export function loadOperations(family: Family): Promise<readonly Operation[]> {
  return loaders[family]()
}
