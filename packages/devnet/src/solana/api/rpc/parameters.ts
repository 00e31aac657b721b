import { getAddressEncoder, getBase58Encoder, isAddress } from '@solana/kit'
import { CommitmentLevel } from '@fairlead/grpc/geyser'
import { RpcCode, RpcError } from './rpc-error.ts'

const maxLamports = 2n ** 64n - 1n
const commitmentLevels: Readonly<Record<string, CommitmentLevel>> = {
  processed: CommitmentLevel.PROCESSED,
  confirmed: CommitmentLevel.CONFIRMED,
  finalized: CommitmentLevel.FINALIZED,
}

/** Parameters of a call, by position. */
export type Parameters = readonly unknown[]

/** Creates the error for an invalid parameter. */
export function invalid(name: string, rule: string): RpcError {
  return new RpcError(RpcCode.invalidParameters, `Invalid params: ${name} must be ${rule}`)
}

/** Reads an optional options object. */
export function readOptions(parameters: Parameters, position: number): Readonly<Record<string, unknown>> {
  const value = parameters[position] ?? {}
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid('options', 'an object')
  return { ...value }
}

export function readText(parameters: Parameters, position: number, name: string): string {
  const value = parameters[position]
  if (typeof value !== 'string') throw invalid(name, 'a text')
  return value
}

/** Reads a public key in base58. */
export function readPublicKey(value: unknown, name = 'pubkey'): Uint8Array {
  if (typeof value !== 'string' || !isAddress(value)) throw invalid(name, 'a public key, 32 bytes in base58')
  return new Uint8Array(getAddressEncoder().encode(value))
}

/** Reads a signature in base58. */
export function readSignature(value: unknown, name: string): Uint8Array {
  const bytes = typeof value === 'string' && value.length <= 88 ? decodeBase58(value) : undefined
  if (bytes?.byteLength !== 64) throw invalid(name, 'a signature, 64 bytes in base58')
  return bytes
}

/** Reads an unsigned 64-bit number. */
export function readUnsigned(value: unknown, name: string): bigint {
  const number = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof number !== 'bigint' || number < 0n || number > maxLamports)
    throw invalid(name, 'a whole number from 0 to 2^64 - 1')
  return number
}

export function readFlag(options: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = options[name] ?? false
  if (typeof value !== 'boolean') throw invalid(name, 'true or false')
  return value
}

/** Reads the commitment level; the default of RPC nodes is finalized. */
export function readCommitment(
  options: Readonly<Record<string, unknown>>,
  name = 'commitment',
): CommitmentLevel {
  const value = options[name] ?? 'finalized'
  const level = typeof value === 'string' ? commitmentLevels[value] : undefined
  if (level === undefined) throw invalid(name, 'processed, confirmed or finalized')
  return level
}

/** Decodes base58; returns undefined for an invalid text. */
export function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return new Uint8Array(getBase58Encoder().encode(text))
  } catch {
    return undefined
  }
}
