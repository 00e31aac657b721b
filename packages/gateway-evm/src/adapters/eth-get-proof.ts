import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'

const fullKey = /^0x[0-9a-f]{64}$/i
const shortKey = /^0x[0-9a-f]{1,63}$/i

/**
 * Pads storage keys of fewer than 64 digits for execution clients that reject them. The pending block has no proof:
 * go-ethereum returns the same error for it as for pruned history, so the code is replaced.
 */
export const ethGetProof: Adapter = {
  handle: ({ signal }, [address, keys, block], upstream) => {
    const hasShortKey =
      Array.isArray(keys) && keys.some((key) => typeof key === 'string' && shortKey.test(key))
    if (!hasShortKey && block !== 'pending') return undefined
    const getProof = (storageKeys: unknown) =>
      upstream.call('eth_getProof', [address, storageKeys, block], signal)
    return getProof(keys).catch(async (error: unknown) => {
      if (!(error instanceof RpcError)) throw error
      if (block === 'pending' && error.code === rpcCodes.prunedHistory) {
        throw new RpcError(rpcCodes.serverError, error.message, { data: error.data })
      }
      if (!hasShortKey || error.code !== rpcCodes.invalidParams) throw error
      return withRequestedKeys(await getProof(keys.map(padded)), keys)
    })
  },
}

function padded(key: unknown): unknown {
  return typeof key === 'string' && shortKey.test(key) ? `0x${key.slice(2).padStart(64, '0')}` : key
}

/** Restores short keys as the caller sent them, as go-ethereum does. */
function withRequestedKeys(proof: unknown, keys: readonly unknown[]): unknown {
  if (!isRecord(proof) || !Array.isArray(proof['storageProof'])) return proof
  const storageProof = proof['storageProof'].map((entry: unknown, at) => {
    const key = keys[at]
    return isRecord(entry) && typeof key === 'string' && !fullKey.test(key) ? { ...entry, key } : entry
  })
  return { ...proof, storageProof }
}
