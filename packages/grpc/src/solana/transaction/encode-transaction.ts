import { FairleadError } from '@fairlead/core'
import type { CompiledInstruction, Message, Transaction } from '../../generated/solana-storage.ts'

/**
 * Encodes a transaction as it was sent to the cluster: the signed bytes, and the signatures.
 *
 * @param transaction - `transaction.transaction` of a transaction update: legacy, version 0 or version 1
 * @returns the encoded bytes, for example for `getTransactionDecoder()` of `@solana/kit`
 * @throws FairleadError `DECODE_INVALID` when a part is missing, or does not fit the version of the transaction
 * @example
 * ```ts
 * const info = update.updateOneof.value.transaction
 * if (info?.transaction) console.log(encodeTransaction(info.transaction).length)
 * ```
 * @see https://solana.com/docs/core/transactions; SIMD-0385
 */
export function encodeTransaction(transaction: Transaction): Uint8Array {
  const message = requirePresent(transaction.message, 'message')
  for (const [position, signature] of transaction.signatures.entries()) {
    requireLength(signature, 64, `signatures[${position}]`)
  }
  const out: number[] = []
  if (message.config) {
    appendVersion1(out, message)
    const signers = requirePresent(message.header, 'message.header').numRequiredSignatures
    if (transaction.signatures.length !== signers) {
      throw invalid('signatures', 'must be as many as the header of the message says')
    }
    for (const signature of transaction.signatures) append(out, signature)
  } else {
    appendLength(out, transaction.signatures.length, 'signatures')
    for (const signature of transaction.signatures) append(out, signature)
    if (message.versioned) out.push(0x80)
    appendMessage(out, message)
  }
  return Uint8Array.from(out)
}

/** Encodes the format that the legacy version and version 0 share. */
function appendMessage(out: number[], message: Message): void {
  appendHeader(out, message)
  appendLength(out, message.accountKeys.length, 'message.accountKeys')
  appendAccountKeys(out, message)
  append(out, requireLength(message.recentBlockhash, 32, 'message.recentBlockhash'))
  appendLength(out, message.instructions.length, 'message.instructions')
  for (const { programIdIndex, accounts, data } of message.instructions) {
    out.push(byte(programIdIndex, 'message.instructions.programIdIndex'))
    appendBytes(out, accounts, 'message.instructions.accounts')
    appendBytes(out, data, 'message.instructions.data')
  }
  if (!message.versioned) return
  appendLength(out, message.addressTableLookups.length, 'message.addressTableLookups')
  for (const { accountKey, writableIndexes, readonlyIndexes } of message.addressTableLookups) {
    append(out, requireLength(accountKey, 32, 'message.addressTableLookups.accountKey'))
    appendBytes(out, writableIndexes, 'message.addressTableLookups.writableIndexes')
    appendBytes(out, readonlyIndexes, 'message.addressTableLookups.readonlyIndexes')
  }
}

function appendVersion1(out: number[], message: Message): void {
  const { priorityFee, computeUnitLimit, loadedAccountsDataSizeLimit, heapSize } = message.config ?? {}
  const limits = [computeUnitLimit, loadedAccountsDataSizeLimit, heapSize]
  // The fee has two bits, because it occupies two fields of four bytes.
  const mask = limits.reduce<number>(
    (bits, limit, index) => bits | (limit === undefined ? 0 : 4 << index),
    priorityFee === undefined ? 0 : 3,
  )
  out.push(0x81)
  appendHeader(out, message)
  appendLittleEndian(out, BigInt(mask), 4)
  append(out, requireLength(message.recentBlockhash, 32, 'message.recentBlockhash'))
  out.push(
    byte(message.instructions.length, 'message.instructions.length'),
    byte(message.accountKeys.length, 'message.accountKeys.length'),
  )
  appendAccountKeys(out, message)
  if (priorityFee !== undefined) appendLittleEndian(out, priorityFee, 8)
  for (const limit of limits) if (limit !== undefined) appendLittleEndian(out, BigInt(limit), 4)
  for (const instruction of message.instructions) appendInstructionHead(out, instruction)
  for (const { accounts, data } of message.instructions) {
    append(out, accounts)
    append(out, data)
  }
}

function appendInstructionHead(out: number[], { programIdIndex, accounts, data }: CompiledInstruction): void {
  out.push(
    byte(programIdIndex, 'message.instructions.programIdIndex'),
    byte(accounts.length, 'message.instructions.accounts.length'),
  )
  if (data.length > 0xffff) throw invalid('message.instructions.data', 'must have at most 65535 bytes')
  appendLittleEndian(out, BigInt(data.length), 2)
}

function appendHeader(out: number[], message: Message): void {
  const header = requirePresent(message.header, 'message.header')
  out.push(
    byte(header.numRequiredSignatures, 'message.header.numRequiredSignatures'),
    byte(header.numReadonlySignedAccounts, 'message.header.numReadonlySignedAccounts'),
    byte(header.numReadonlyUnsignedAccounts, 'message.header.numReadonlyUnsignedAccounts'),
  )
}

function appendAccountKeys(out: number[], message: Message): void {
  for (const [position, key] of message.accountKeys.entries()) {
    append(out, requireLength(key, 32, `message.accountKeys[${position}]`))
  }
}

function appendBytes(out: number[], bytes: Uint8Array, path: string): void {
  appendLength(out, bytes.length, path)
  append(out, bytes)
}

/** Encodes a length in groups of seven bits, the lowest first, each but the last with the eighth bit set. */
function appendLength(out: number[], length: number, path: string): void {
  if (length > 0xffff) throw invalid(path, 'must be at most 65535 long')
  let remaining = length
  for (; remaining > 0x7f; remaining >>= 7) out.push((remaining & 0x7f) | 0x80)
  out.push(remaining)
}

function appendLittleEndian(out: number[], value: bigint, length: number): void {
  for (let index = 0; index < length; index++) out.push(Number((value >> BigInt(8 * index)) & 0xffn))
}

function append(out: number[], bytes: Uint8Array): void {
  for (const value of bytes) out.push(value)
}

function byte(value: number, path: string): number {
  if (value > 0xff) throw invalid(path, 'must be at most 255')
  return value
}

function requireLength(bytes: Uint8Array, length: number, path: string): Uint8Array {
  if (bytes.length !== length) throw invalid(path, `must have ${length} bytes`)
  return bytes
}

function requirePresent<value>(value: value | undefined, path: string): value {
  if (value === undefined) throw invalid(path, 'must be there')
  return value
}

function invalid(path: string, rule: string): FairleadError {
  return new FairleadError('DECODE_INVALID', { operation: 'encodeTransaction', path, rule })
}
