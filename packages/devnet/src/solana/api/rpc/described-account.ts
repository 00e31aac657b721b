import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { getBase58Decoder } from '@solana/kit'
import type { SubscribeUpdateAccountInfo } from '@fairlead/grpc/geyser'
import { invalid, readUnsigned } from './parameters.ts'
import { RpcCode, RpcError } from './rpc-error.ts'

const compress = promisify(zstdCompress)
const maxBase58Bytes = 128

/**
 * Formats an account in the encoding that a caller requests.
 *
 * @param account its state
 * @param options those of the call: `encoding` and `dataSlice`
 * @returns its JSON form; null for an account without lamports, which does not exist
 * @throws RpcError for invalid options
 */
export async function describeAccount(
  account: SubscribeUpdateAccountInfo | undefined,
  { encoding, dataSlice }: { readonly encoding?: unknown; readonly dataSlice?: unknown },
): Promise<object | null> {
  if (account === undefined || account.lamports === 0n) return null
  const { data, executable, lamports, owner, rentEpoch } = account
  return {
    data: await encodeData(cut(data, dataSlice), encoding),
    executable,
    lamports,
    owner: getBase58Decoder().decode(owner),
    rentEpoch,
    space: data.byteLength,
  }
}

function cut(data: Uint8Array, slice: unknown): Uint8Array {
  if (slice === undefined || slice === null) return data
  if (typeof slice !== 'object') throw invalid('dataSlice', 'an object with offset and length')
  const { offset, length } = slice as Readonly<Record<string, unknown>>
  const start = readUnsigned(offset, 'dataSlice.offset')
  return data.subarray(Number(start), Number(start + readUnsigned(length, 'dataSlice.length')))
}

async function encodeData(data: Uint8Array, encoding: unknown): Promise<string | [string, string]> {
  switch (encoding) {
    case undefined:
    case null:
      return encodeBase58(data)
    case 'base58':
      return [encodeBase58(data), encoding]
    // No program data is parsed here; RPC nodes return base64 for programs that they cannot parse.
    case 'jsonParsed':
    case 'base64':
      return [Buffer.from(data).toString('base64'), 'base64']
    case 'base64+zstd':
      return [(await compress(data)).toString('base64'), encoding]
    default:
      throw invalid('encoding', 'base58, base64, base64+zstd or jsonParsed')
  }
}

function encodeBase58(data: Uint8Array): string {
  if (data.byteLength > maxBase58Bytes)
    throw new RpcError(
      RpcCode.invalidRequest,
      `Data of more than ${maxBase58Bytes} bytes is not available in base58: request the encoding base64`,
    )
  return getBase58Decoder().decode(data)
}
