import { FairleadError } from '@fairlead/core'
import { instructionErrorNames, transactionErrorNames } from './error-names.ts'

type TransactionErrorName = (typeof transactionErrorNames)[number]
type InstructionErrorName = (typeof instructionErrorNames)[number]

/** Why an instruction failed. `code` is the error code of the program. */
export type InstructionError =
  | { readonly name: Exclude<InstructionErrorName, 'Custom'> }
  | { readonly name: 'Custom'; readonly code: number }

/** Why a transaction failed. Positions count from 0. */
export type TransactionFailure =
  | {
      readonly name: Exclude<
        TransactionErrorName,
        | 'InstructionError'
        | 'DuplicateInstruction'
        | 'InsufficientFundsForRent'
        | 'ProgramExecutionTemporarilyRestricted'
      >
    }
  | { readonly name: 'InstructionError'; readonly instructionIndex: number; readonly error: InstructionError }
  | { readonly name: 'DuplicateInstruction'; readonly instructionIndex: number }
  | {
      readonly name: 'InsufficientFundsForRent' | 'ProgramExecutionTemporarilyRestricted'
      readonly accountIndex: number
    }

/**
 * Decodes why a transaction failed.
 *
 * @param bytes - `err.err` of a transaction's meta or of a transaction status: bincode
 * @returns the reason by its name, with its fields
 * @throws FairleadError `DECODE_INVALID` when the bytes are truncated or name an unknown reason
 * @example
 * ```ts
 * const failure = meta.err && decodeTransactionError(meta.err.err)
 * if (failure?.name === 'InstructionError' && failure.error.name === 'Custom') console.log(failure.error.code)
 * ```
 * @see specs/grpc/solana-storage.proto, TransactionError
 */
export function decodeTransactionError(bytes: Uint8Array): TransactionFailure {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = nameAt(transactionErrorNames, view, 0, 'err')
  if (name === 'InstructionError') {
    return { name, instructionIndex: byteAt(view, 4), error: instructionErrorAt(view, 5) }
  }
  if (name === 'DuplicateInstruction') return { name, instructionIndex: lastByteAt(view, 4) }
  if (name === 'InsufficientFundsForRent' || name === 'ProgramExecutionTemporarilyRestricted') {
    return { name, accountIndex: lastByteAt(view, 4) }
  }
  requireEnd(view, 4)
  return { name }
}

/**
 * Encodes why a transaction failed, the inverse of {@link decodeTransactionError}.
 *
 * @param failure - the reason
 * @returns the bytes of `err.err`: bincode
 * @throws FairleadError `CONFIG_INVALID` when the name is unknown, or a number is out of range
 * @example
 * ```ts
 * encodeTransactionError({ name: 'AlreadyProcessed' }) // Uint8Array [6, 0, 0, 0]
 * ```
 * @see specs/grpc/solana-storage.proto, TransactionError
 */
export function encodeTransactionError(failure: TransactionFailure): Uint8Array {
  const variant = bytesOfNumber(numberOf(transactionErrorNames, failure.name, 'name'), 4, 'name')
  return Uint8Array.from([...variant, ...payloadOf(failure)])
}

function payloadOf(failure: TransactionFailure): number[] {
  if ('accountIndex' in failure) return bytesOfNumber(failure.accountIndex, 1, 'accountIndex')
  if (!('instructionIndex' in failure)) return []
  const position = bytesOfNumber(failure.instructionIndex, 1, 'instructionIndex')
  if (!('error' in failure)) return position
  const { error } = failure
  const reason = bytesOfNumber(numberOf(instructionErrorNames, error.name, 'error.name'), 4, 'error.name')
  const code = error.name === 'Custom' ? bytesOfNumber(error.code, 4, 'error.code') : []
  return [...position, ...reason, ...code]
}

function instructionErrorAt(view: DataView, offset: number): InstructionError {
  const name = nameAt(instructionErrorNames, view, offset, 'err.instruction')
  if (name === 'Custom') {
    requireBytes(view, offset + 4, 4)
    requireEnd(view, offset + 8)
    return { name, code: view.getUint32(offset + 4, true) }
  }
  // Older nodes append a text to this one.
  if (name !== 'BorshIoError') requireEnd(view, offset + 4)
  return { name }
}

function nameAt<name extends string>(
  names: readonly name[],
  view: DataView,
  offset: number,
  path: string,
): name {
  requireBytes(view, offset, 4)
  const name = names[view.getUint32(offset, true)]
  if (name === undefined) throw undecodable(path, `must be a number below ${names.length}`)
  return name
}

function byteAt(view: DataView, offset: number): number {
  requireBytes(view, offset, 1)
  return view.getUint8(offset)
}

function lastByteAt(view: DataView, offset: number): number {
  const byte = byteAt(view, offset)
  requireEnd(view, offset + 1)
  return byte
}

function requireBytes(view: DataView, offset: number, length: number): void {
  if (view.byteLength < offset + length) {
    throw undecodable('err', `must have at least ${offset + length} bytes`)
  }
}

function requireEnd(view: DataView, offset: number): void {
  if (view.byteLength > offset) throw undecodable('err', `must end after ${offset} bytes`)
}

function undecodable(path: string, rule: string): FairleadError {
  return new FairleadError('DECODE_INVALID', { operation: 'decodeTransactionError', path, rule })
}

function numberOf(names: readonly string[], name: string, option: string): number {
  const number = names.indexOf(name)
  if (number >= 0) return number
  throw new FairleadError('CONFIG_INVALID', { option, rule: 'must be the name of an error' })
}

function bytesOfNumber(value: number, length: 1 | 4, option: string): number[] {
  if (!Number.isInteger(value) || value < 0 || value >= 256 ** length) {
    const rule = `must be a whole number below ${256 ** length}`
    throw new FairleadError('CONFIG_INVALID', { option, rule })
  }
  return Array.from({ length }, (_, index) => (value >>> (8 * index)) & 0xff)
}
