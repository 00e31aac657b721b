import { describe, expect, it } from 'vitest'
import { instructionErrorNames, transactionErrorNames } from './error-names.ts'
import {
  decodeTransactionError,
  encodeTransactionError,
  type InstructionError,
  type TransactionFailure,
} from './transaction-error.ts'

function failureOf(name: (typeof transactionErrorNames)[number]): TransactionFailure {
  if (name === 'InstructionError') {
    return { name, instructionIndex: 3, error: { name: 'Custom', code: 6001 } }
  }
  if (name === 'DuplicateInstruction') return { name, instructionIndex: 200 }
  if (name === 'InsufficientFundsForRent' || name === 'ProgramExecutionTemporarilyRestricted') {
    return { name, accountIndex: 255 }
  }
  return { name }
}

describe('decodeTransactionError', () => {
  it.each(transactionErrorNames.map((name, index) => [index, name] as const))(
    'reads error %i, %s',
    (index, name) => {
      const failure = failureOf(name)
      const bytes = encodeTransactionError(failure)
      expect(new DataView(bytes.buffer).getUint32(0, true)).toBe(index)
      expect(decodeTransactionError(bytes)).toEqual(failure)
    },
  )

  it.each(instructionErrorNames.map((name, index) => [index, name] as const))(
    'reads error %i of an instruction, %s',
    (index, name) => {
      const error: InstructionError = name === 'Custom' ? { name, code: 0xffffffff } : { name }
      const code = name === 'Custom' ? [255, 255, 255, 255] : []
      const bytes = Uint8Array.from([8, 0, 0, 0, 7, index, 0, 0, 0, ...code])
      expect(decodeTransactionError(bytes)).toEqual({ name: 'InstructionError', instructionIndex: 7, error })
      expect(encodeTransactionError({ name: 'InstructionError', instructionIndex: 7, error })).toEqual(bytes)
    },
  )

  it('reads from the middle of a buffer', () => {
    const buffer = Uint8Array.from([9, 9, 30, 0, 0, 0, 4, 9])
    expect(decodeTransactionError(buffer.subarray(2, 7))).toEqual({
      name: 'DuplicateInstruction',
      instructionIndex: 4,
    })
  })

  it('reads the text that older nodes add to BorshIoError', () => {
    const bytes = Uint8Array.from([8, 0, 0, 0, 0, 44, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 104, 105])
    expect(decodeTransactionError(bytes)).toMatchObject({ error: { name: 'BorshIoError' } })
  })

  it.each([
    [[], 'at least 4 bytes'],
    [[8, 0, 0, 0], 'at least 5 bytes'],
    [[8, 0, 0, 0, 1, 25, 0, 0, 0], 'at least 13 bytes'],
    [[39, 0, 0, 0], 'a number below 39'],
    [[8, 0, 0, 0, 1, 54, 0, 0, 0], 'a number below 54'],
    [[6, 0, 0, 0, 1], 'must end after 4 bytes'],
  ])('rejects %j', (bytes, rule) => {
    expect(() => decodeTransactionError(Uint8Array.from(bytes))).toThrow(rule)
  })

  it('rejects values that cannot be encoded', () => {
    expect(() => encodeTransactionError({ name: 'DuplicateInstruction', instructionIndex: 256 })).toThrow(
      'instructionIndex',
    )
    // @ts-expect-error no such error
    expect(() => encodeTransactionError({ name: 'Nonsense' })).toThrow('must be the name of an error')
  })
})
