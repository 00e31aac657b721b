import type { JettonAdapter } from '../upstream/types.ts'
import { getConfigParam, getConfigParamByJsonRpc } from './get-config-param.ts'
import { getShards, getShardsByJsonRpc } from './get-shards.ts'
import { listJettonBurns } from './list-jetton-burns.ts'

/**
 * Every adapter by operation, which stands for the form by `POST` too; those of JSON-RPC by `jsonRPC:` and the method.
 * `docs/reference/adapters.md` lists them with the reason for each.
 */
export const jettonAdapters: ReadonlyMap<string, JettonAdapter> = new Map([
  ['getConfigParam', getConfigParam],
  ['jsonRPC:getConfigParam', getConfigParamByJsonRpc],
  ['getShards', getShards],
  ['jsonRPC:getShards', getShardsByJsonRpc],
  ['listJettonBurns', listJettonBurns],
])
