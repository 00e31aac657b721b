import type { TransactionFailure } from '@fairlead/grpc/solana'

/** Converts a failure to the form of Solana's JSON-RPC, which other clients return. */
export function asJson(failure: TransactionFailure): unknown {
  const { name } = failure
  if (name === 'InstructionError') {
    const { error, instructionIndex } = failure
    const inner = error.name === 'Custom' ? { Custom: error.code } : error.name
    return { [name]: [instructionIndex, inner] }
  }
  if (name === 'DuplicateInstruction') return { [name]: failure.instructionIndex }
  return 'accountIndex' in failure ? { [name]: { account_index: failure.accountIndex } } : name
}
