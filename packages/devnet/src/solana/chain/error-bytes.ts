import type { EngineOutcome } from './engine.ts'

// Numbers of the errors that the chain itself detects.
/** The blockhash is not among the recent ones. */
export const blockhashNotFound = 7
/** A slot already contains the same transaction. */
export const alreadyProcessed = 6
/** A signature does not match its account. */
export const signatureFailure = 12
/** The transaction writes to an account that must not be written. */
export const invalidWritableAccount = 19
/** The bytes are not a transaction. */
export const sanitizeFailure = 14

const duplicateInstruction = 30
const insufficientFundsForRent = 31
const programRestricted = 35
const instructionError = 8
const custom = 25
const borshIoError = 44

/**
 * Encodes a transaction error without fields.
 *
 * @param variant Number of the error.
 * @returns Its bytes (bincode): four, little endian.
 */
export function errorBytes(variant: number): Uint8Array {
  return Uint8Array.from([variant & 0xff, (variant >> 8) & 0xff, (variant >> 16) & 0xff, variant >>> 24])
}

/**
 * Encodes an error of the engine in the format of a validator.
 *
 * @param failure The error in the engine's format, where errors without fields are numbered separately.
 * @returns Its bytes (bincode).
 */
export function failureBytes(failure: NonNullable<EngineOutcome['failure']>): Uint8Array {
  if (typeof failure === 'number') return errorBytes(transactionVariant(failure))
  if ('err' in failure) {
    return concat(errorBytes(instructionError), [failure.index], instructionFailureBytes(failure.err()))
  }
  if ('index' in failure) return concat(errorBytes(duplicateInstruction), [failure.index])
  // Both name an account, and only their texts distinguish them.
  const isRent = failure.toString().includes('InsufficientFundsForRent')
  return concat(errorBytes(isRent ? insufficientFundsForRent : programRestricted), [failure.accountIndex])
}

type InstructionFailure = number | { readonly code: number } | { readonly msg: string }

function instructionFailureBytes(failure: InstructionFailure): Uint8Array {
  if (typeof failure === 'number') return errorBytes(instructionVariant(failure))
  return 'code' in failure ? concat(errorBytes(custom), errorBytes(failure.code)) : errorBytes(borshIoError)
}

// The engine numbers errors without fields separately from those with fields, so its numbers are lower.
function transactionVariant(fieldless: number): number {
  if (fieldless < 8) return fieldless
  if (fieldless < 29) return fieldless + 1
  return [32, 34, 33, 36, 37, 38][fieldless - 29] ?? sanitizeFailure
}

function instructionVariant(fieldless: number): number {
  if (fieldless < 25) return fieldless
  if (fieldless < 43) return fieldless + 1
  return fieldless < 52 ? fieldless + 2 : borshIoError
}

function concat(...parts: readonly ArrayLike<number>[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)))
}
