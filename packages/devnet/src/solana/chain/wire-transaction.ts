import { Message, type Transaction } from '@fairlead/grpc/geyser'
import {
  getAddressEncoder,
  getBase58Encoder,
  getCompiledTransactionMessageCodec,
  getTransactionCodec,
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
} from '@solana/kit'
import { errorBytes, sanitizeFailure } from './error-bytes.ts'
import { TransactionRefused } from './transaction-refused.ts'

/** A parsed signed transaction. */
export interface WireTransaction {
  readonly bytes: Uint8Array
  /** The part of it that is signed. */
  readonly signed: Uint8Array
  /** The first signature, 64 bytes. */
  readonly signature: Uint8Array
  /** base58 */
  readonly recentBlockhash: string
  readonly content: Transaction & { readonly message: Message }
}

type CompiledMessage = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime
type CompiledMessageV1 = Extract<CompiledMessage, { version: 1 }>

const address = getAddressEncoder()
const base58 = getBase58Encoder()
const transactionCodec = getTransactionCodec()
const messageCodec = getCompiledTransactionMessageCodec()

const maxBytes = 1_232
const maxBytesV1 = 4_096

/**
 * Parses a signed transaction: legacy, version 0 or version 1.
 *
 * @param bytes The transaction in wire format.
 * @throws {@link TransactionRefused} with SanitizeFailure for any other bytes
 */
export function readTransaction(bytes: Uint8Array): WireTransaction {
  try {
    const { messageBytes, signatures: byAddress } = transactionCodec.decode(bytes)
    const message = messageCodec.decode(messageBytes)
    const [signature, ...others] = Object.values(byAddress).map((value) =>
      Uint8Array.from(value ?? new Uint8Array(64)),
    )
    // The engine crashes the process on bytes that it cannot parse but this codec can, so only the canonical encoding
    // is accepted.
    const again = transactionCodec.encode({
      messageBytes: messageCodec.encode(message) as typeof messageBytes,
      signatures: byAddress,
    })
    if (signature === undefined || Buffer.compare(again as Uint8Array, bytes) !== 0)
      throw new TypeError('not in its one form')
    if (bytes.length > (message.version === 1 ? maxBytesV1 : maxBytes)) throw new TypeError('too long')
    return {
      bytes,
      signed: Uint8Array.from(messageBytes),
      signature,
      recentBlockhash: message.lifetimeToken,
      content: { signatures: [signature, ...others], message: toMessage(message) },
    }
  } catch {
    throw new TransactionRefused(errorBytes(sanitizeFailure))
  }
}

function toMessage(message: CompiledMessage): Message {
  const { header, staticAccounts, lifetimeToken, version } = message
  return Message.fromPartial({
    header: {
      numRequiredSignatures: header.numSignerAccounts,
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
    },
    accountKeys: staticAccounts.map(keyBytes),
    recentBlockhash: Uint8Array.from(base58.encode(lifetimeToken)),
    versioned: version !== 'legacy',
    ...(message.version === 1 ? bodyOfV1(message) : bodyOf(message)),
  })
}

function bodyOf(message: Exclude<CompiledMessage, CompiledMessageV1>): Partial<Message> {
  const lookups = message.version === 0 ? (message.addressTableLookups ?? []) : []
  return {
    instructions: message.instructions.map(({ programAddressIndex, accountIndices, data }) => ({
      programIdIndex: programAddressIndex,
      accounts: Uint8Array.from(accountIndices ?? []),
      data: Uint8Array.from(data ?? []),
    })),
    addressTableLookups: lookups.map(({ lookupTableAddress, writableIndexes, readonlyIndexes }) => ({
      accountKey: keyBytes(lookupTableAddress),
      writableIndexes: Uint8Array.from(writableIndexes),
      readonlyIndexes: Uint8Array.from(readonlyIndexes),
    })),
  }
}

// Bits of the mask by SIMD-0385; the fee uses two of them, because it has 64 bits.
const feeBits = 0b11
const knownBits = 0b1_1111
const configBits = {
  computeUnitLimit: 0b100,
  loadedAccountsDataSizeLimit: 0b1000,
  heapSize: 0b1_0000,
} as const

function bodyOfV1({
  instructionHeaders,
  instructionPayloads,
  configMask,
  configValues,
}: CompiledMessageV1): Partial<Message> {
  const hasHalfFee = (configMask & feeBits) !== 0 && (configMask & feeBits) !== feeBits
  if (hasHalfFee || (configMask & ~knownBits) !== 0) throw new TypeError('no valid mask')
  const values = configValues.map(({ value }) => value)
  const next = (bits: number) => ((configMask & bits) === bits ? values.shift() : undefined)
  const number = (bits: number) => {
    const value = next(bits)
    return value === undefined ? undefined : Number(value)
  }
  const fee = next(feeBits)
  return {
    instructions: instructionHeaders.map(({ programAccountIndex }, position) => ({
      programIdIndex: programAccountIndex,
      accounts: Uint8Array.from(instructionPayloads[position]?.instructionAccountIndices ?? []),
      data: Uint8Array.from(instructionPayloads[position]?.instructionData ?? []),
    })),
    config: {
      priorityFee: fee === undefined ? undefined : BigInt(fee),
      computeUnitLimit: number(configBits.computeUnitLimit),
      loadedAccountsDataSizeLimit: number(configBits.loadedAccountsDataSizeLimit),
      heapSize: number(configBits.heapSize),
    },
  }
}

function keyBytes(key: Address): Uint8Array {
  return Uint8Array.from(address.encode(key))
}
