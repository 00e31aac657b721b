import type { TransactionFailure } from '@fairlead/grpc/solana'

/** Writes a failure in the form that Solana's JSON-RPC has, which other clients give. */
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
