import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'

const wholeKey = /^0x[0-9a-f]{64}$/i
const shortKey = /^0x[0-9a-f]{1,63}$/i

/**
 * Pads storage keys of fewer than 64 digits for execution clients that reject them. The pending block has no proof:
 * go-ethereum returns the same error for it as for pruned history, so the code is replaced.
 */
export const ethGetProof: Adapter = {
  answer: ({ signal }, [address, keys, block], upstream) => {
    const isShort = Array.isArray(keys) && keys.some((key) => typeof key === 'string' && shortKey.test(key))
    if (!isShort && block !== 'pending') return undefined
    const ask = (asked: unknown) => upstream.call('eth_getProof', [address, asked, block], signal)
    return ask(keys).catch(async (error: unknown) => {
      if (!(error instanceof RpcError)) throw error
      if (block === 'pending' && error.code === rpcCodes.prunedHistory) {
        throw new RpcError(rpcCodes.serverError, error.message, { data: error.data })
      }
      if (!isShort || error.code !== rpcCodes.invalidParams) throw error
      return underGivenKeys(await ask(keys.map(filledUp)), keys)
    })
  },
}

function filledUp(key: unknown): unknown {
  return typeof key === 'string' && shortKey.test(key) ? `0x${key.slice(2).padStart(64, '0')}` : key
}

/** Restores short keys as the caller sent them, as go-ethereum does. */
function underGivenKeys(proof: unknown, keys: readonly unknown[]): unknown {
  if (!isRecord(proof) || !Array.isArray(proof['storageProof'])) return proof
  const storageProof = proof['storageProof'].map((one: unknown, at) => {
    const key = keys[at]
    return isRecord(one) && typeof key === 'string' && !wholeKey.test(key) ? { ...one, key } : one
  })
  return { ...proof, storageProof }
}
