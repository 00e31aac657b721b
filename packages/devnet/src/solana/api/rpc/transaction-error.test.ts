import { describe, expect, it } from 'vitest'
import { describeTransactionError, readTransactionError } from './transaction-error.ts'

describe('readTransactionError', () => {
  it.each([
    [[0, 0, 0, 0], 'AccountInUse'],
    [[38, 0, 0, 0], 'CommitCancelled'],
    [[8, 0, 0, 0, 2, 25, 0, 0, 0, 1, 0, 0, 0], { InstructionError: [2, { Custom: 1 }] }],
    [[8, 0, 0, 0, 0, 53, 0, 0, 0], { InstructionError: [0, 'BuiltinProgramsMustConsumeComputeUnits'] }],
    [[30, 0, 0, 0, 4], { DuplicateInstruction: 4 }],
    [[31, 0, 0, 0, 1], { InsufficientFundsForRent: { account_index: 1 } }],
    [[35, 0, 0, 0, 3], { ProgramExecutionTemporarilyRestricted: { account_index: 3 } }],
  ])('reads %j', (bytes, error) => {
    expect(readTransactionError(Uint8Array.from(bytes))).toEqual(error)
  })

  it.each([[[39, 0, 0, 0]], [[8, 0, 0, 0]], [[]]])('rejects %j', (bytes) => {
    expect(() => readTransactionError(Uint8Array.from(bytes))).toThrow(RangeError)
  })
})

describe('describeTransactionError', () => {
  it.each([
    ['BlockhashNotFound', 'Blockhash not found'],
    ['AlreadyProcessed', 'This transaction has already been processed'],
    [
      { InstructionError: [1, { Custom: 6000 }] },
      'Error processing Instruction 1: custom program error: 0x1770',
    ],
    [{ InstructionError: [0, 'InvalidAccountData'] }, 'Error processing Instruction 0: invalid account data'],
    [{ InsufficientFundsForRent: { account_index: 1 } }, 'Insufficient funds for rent'],
  ])('describes %j', (error, words) => {
    expect(describeTransactionError(error)).toBe(words)
  })
})
