// The position of each name is its error number.
const errorNames = `
  AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound InsufficientFundsForFee
  InvalidAccountForFee AlreadyProcessed BlockhashNotFound InstructionError CallChainTooDeep
  MissingSignatureForFee InvalidAccountIndex SignatureFailure InvalidProgramForExecution SanitizeFailure
  ClusterMaintenance AccountBorrowOutstanding WouldExceedMaxBlockCostLimit UnsupportedVersion
  InvalidWritableAccount WouldExceedMaxAccountCostLimit WouldExceedAccountDataBlockLimit
  TooManyAccountLocks AddressLookupTableNotFound InvalidAddressLookupTableOwner
  InvalidAddressLookupTableData InvalidAddressLookupTableIndex InvalidRentPayingAccount
  WouldExceedMaxVoteCostLimit WouldExceedAccountDataTotalLimit DuplicateInstruction
  InsufficientFundsForRent MaxLoadedAccountsDataSizeExceeded InvalidLoadedAccountsDataSizeLimit
  ResanitizationNeeded ProgramExecutionTemporarilyRestricted UnbalancedTransaction ProgramCacheHitMaxLimit
  CommitCancelled
`
  .trim()
  .split(/\s+/)

const instructionErrorNames = `
  GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall
  InsufficientFunds IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized
  UninitializedAccount UnbalancedInstruction ModifiedProgramId ExternalAccountLamportSpend
  ExternalAccountDataModified ReadonlyLamportChange ReadonlyDataModified DuplicateAccountIndex
  ExecutableModified RentEpochModified NotEnoughAccountKeys AccountDataSizeChanged AccountNotExecutable
  AccountBorrowFailed AccountBorrowOutstanding DuplicateAccountOutOfSync Custom InvalidError
  ExecutableDataModified ExecutableLamportChange ExecutableAccountNotRentExempt UnsupportedProgramId
  CallDepth MissingAccount ReentrancyNotAllowed MaxSeedLengthExceeded InvalidSeeds InvalidRealloc
  ComputationalBudgetExceeded PrivilegeEscalation ProgramEnvironmentSetupFailure ProgramFailedToComplete
  ProgramFailedToCompile Immutable IncorrectAuthority BorshIoError AccountNotRentExempt
  InvalidAccountOwner ArithmeticOverflow UnsupportedSysvar IllegalOwner MaxAccountsDataAllocationsExceeded
  MaxAccountsExceeded MaxInstructionTraceLengthExceeded BuiltinProgramsMustConsumeComputeUnits
`
  .trim()
  .split(/\s+/)

/** A transaction error in the JSON form of RPC nodes: a name, or an object with a name and its data. */
export type TransactionErrorJson = string | Readonly<Record<string, unknown>>

/**
 * Decodes a transaction error.
 *
 * @param bytes bincode: the number of the error in four bytes, little endian, then its fields
 * @returns its JSON form, such as `{"InstructionError":[0,{"Custom":1}]}`
 * @throws RangeError for bytes that are not a transaction error
 * @see https://docs.rs/solana-transaction-error
 */
export function readTransactionError(bytes: Uint8Array): TransactionErrorJson {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = nameAt(errorNames, view.getUint32(0, true))
  switch (name) {
    case 'InstructionError':
      return { [name]: [view.getUint8(4), readInstructionError(view, 5)] }
    case 'DuplicateInstruction':
      return { [name]: view.getUint8(4) }
    case 'InsufficientFundsForRent':
    case 'ProgramExecutionTemporarilyRestricted':
      return { [name]: { account_index: view.getUint8(4) } }
    default:
      return name
  }
}

/**
 * Returns the text of a transaction error, for the most common errors the same as that of RPC nodes.
 *
 * @param error JSON form of the error
 */
export function describeTransactionError(error: TransactionErrorJson): string {
  if (typeof error === 'string') return knownWords[error] ?? sentence(error)
  const [name = '', value] = Object.entries(error)[0] ?? []
  if (name !== 'InstructionError' || !Array.isArray(value)) return sentence(name)
  const [index, cause] = value as [number, string | { readonly Custom: number }]
  const text =
    typeof cause === 'string'
      ? sentence(cause).toLowerCase()
      : `custom program error: 0x${cause.Custom.toString(16)}`
  return `Error processing Instruction ${index}: ${text}`
}

const knownWords: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
  InsufficientFundsForFee: 'Insufficient funds for fee',
}

function readInstructionError(view: DataView, offset: number): TransactionErrorJson {
  const name = nameAt(instructionErrorNames, view.getUint32(offset, true))
  return name === 'Custom' ? { [name]: view.getUint32(offset + 4, true) } : name
}

function nameAt(names: readonly string[], number: number): string {
  const name = names[number]
  if (name === undefined) throw new RangeError(`no error of a transaction has the number ${number}`)
  return name
}

// BlockhashNotFound becomes "Blockhash not found".
function sentence(name: string): string {
  const text = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}
