import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { CallOptions } from '@fairlead/core'
import type { RpcRequest, Transport } from '../transport.ts'

/**
 * The hash of a raw transaction, when a node reports that it has this transaction.
 *
 * A transaction with blobs is sent in another form than its hash is computed from, so it is never found.
 */
export async function findTransactionHash(
  transport: Transport,
  { params = [] }: RpcRequest,
  options: CallOptions | undefined,
): Promise<string | undefined> {
  const [raw] = params
  if (typeof raw !== 'string' || !/^0x([0-9a-f]{2})+$/i.test(raw)) return undefined
  const hash = `0x${bytesToHex(keccak_256(hexToBytes(raw.slice(2))))}`
  try {
    const transaction = await transport.request(
      { method: 'eth_getTransactionByHash', params: [hash] },
      options,
    )
    return (transaction as { hash?: unknown } | null)?.hash === hash ? hash : undefined
  } catch {
    return undefined
  }
}
