import type { JettonAdapter } from '../upstream/types.ts'
import { getConfigParam, getConfigParamByJsonRpc } from './get-config-param.ts'
import { getShards, getShardsByJsonRpc } from './get-shards.ts'
import { listJettonBurns } from './list-jetton-burns.ts'

/**
 * All adapters by operation. An adapter also applies to the `POST` form of its operation. JSON-RPC adapters have the
 * key `jsonRPC:` followed by the method. `docs/reference/adapters.md` lists all adapters with the reason for each.
 */
export const jettonAdapters: ReadonlyMap<string, JettonAdapter> = new Map([
  ['getConfigParam', getConfigParam],
  ['jsonRPC:getConfigParam', getConfigParamByJsonRpc],
  ['getShards', getShards],
  ['jsonRPC:getShards', getShardsByJsonRpc],
  ['listJettonBurns', listJettonBurns],
])
