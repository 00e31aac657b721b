import { TransactionStatusMeta, type InnerInstructions } from '@fairlead/grpc/geyser'
import { getAddressEncoder, type Address } from '@solana/kit'
import { stateOf, type AccountState, type Engine, type EngineAccount, type EngineOutcome } from './engine.ts'
import { failureBytes } from './error-bytes.ts'
import { lookUpAddresses } from './address-lookup.ts'
import { readTokenBalances } from './token-balances.ts'
import { TransactionRefused } from './transaction-refused.ts'
import type { WireTransaction } from './wire-transaction.ts'

/** The effects of a transaction. */
export interface Execution {
  readonly meta: TransactionStatusMeta
  /** The accounts that it wrote; one that it emptied has no lamports, no data and no owner. */
  readonly writes: readonly AccountState[]
  /** Returns the states of these accounts before the transaction. */
  readonly before: () => readonly AccountState[]
}

const systemProgram = new Uint8Array(32)
const upgradeableLoader = keyOf('BPFLoaderUpgradeab1e11111111111111111111111')
const nodeOwners = [
  keyOf('NativeLoader1111111111111111111111111111111'),
  keyOf('Sysvar1111111111111111111111111111111111111'),
]

/**
 * Executes a transaction.
 *
 * @returns Its effects, also if it failed and paid its fee.
 * @throws {@link TransactionRefused} when it cannot pay the fee or cannot be executed; no account is changed
 */
export function executeTransaction(engine: Engine, transaction: WireTransaction): Execution {
  const { message } = transaction.content
  const loaded = lookUpAddresses(engine, message)
  const keys = [...message.accountKeys, ...loaded.writable, ...loaded.readonly]
  const states = () => keys.map((key) => engine.account(key))
  const find = (key: Uint8Array) => engine.account(key)

  const before = states()
  const preTokenBalances = readTokenBalances(keys, before, find)
  const outcome = engine.execute(transaction.bytes)
  const after = states()
  const preBalances = before.map(balance)
  const postBalances = after.map(balance)
  // A transaction neither creates nor burns lamports, so the missing amount is its fee.
  const fee = sum(preBalances) - sum(postBalances)
  const err = outcome.failure === undefined ? undefined : failureBytes(outcome.failure)
  const logs = outcome.meta.logs()
  if (err !== undefined && fee === 0n) {
    throw new TransactionRefused(err, logs, outcome.meta.computeUnitsConsumed())
  }

  const isWritten = (position: number) =>
    err === undefined ? isWritable(transaction, loaded.writable.length, position) : position === 0
  const isFixed = findFixed(transaction, keys)
  const written = keys.flatMap((pubkey, position) => {
    const [was, is] = [before[position], after[position]]
    const isAbsent = was === undefined && is === undefined
    return isAbsent || !isWritten(position) || isFixed(position, was) ? [] : [{ pubkey, was, is }]
  })
  const writes = written.map(({ pubkey, is }) => describeAccount(pubkey, is))
  // The engine stores written accounts in any order, and a program that it stored before its code still runs the old
  // code.
  for (const account of writes) if (account.executable) engine.setAccount(account)
  const meta = TransactionStatusMeta.fromPartial({
    err: err === undefined ? undefined : { err },
    fee,
    preBalances,
    postBalances,
    ...readTrace(outcome),
    preTokenBalances,
    postTokenBalances: readTokenBalances(keys, after, find),
    loadedWritableAddresses: loaded.writable,
    loadedReadonlyAddresses: loaded.readonly,
  })
  return {
    meta,
    writes,
    before: () => written.map(({ pubkey, was }) => describeAccount(pubkey, was)),
  }
}

/** Returns the return data of a program; undefined when it is empty. */
export function readReturnData({
  meta,
}: EngineOutcome): { programId: Uint8Array; data: Uint8Array } | undefined {
  const returned = meta.returnData()
  const data = returned.data()
  return data.length === 0 ? undefined : { programId: returned.programId(), data }
}

/** Returns the inner instructions, by the positions of the instructions that called them. */
export function readInnerInstructions({ meta }: EngineOutcome): InnerInstructions[] {
  return meta.innerInstructions().flatMap((calls, index) => {
    if (calls.length === 0) return []
    const instructions = calls.map((call) => {
      const instruction = call.instruction()
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: instruction.accounts(),
        data: instruction.data(),
        stackHeight: call.stackHeight(),
      }
    })
    return [{ index, instructions }]
  })
}

function readTrace(outcome: EngineOutcome): Partial<TransactionStatusMeta> {
  const { meta } = outcome
  const logMessages = meta.logs()
  // If no instruction was reached, a validator records nothing.
  const isUntraced = outcome.failure !== undefined && logMessages.length === 0
  const returnData = readReturnData(outcome)
  return {
    logMessages,
    logMessagesNone: isUntraced,
    innerInstructions: readInnerInstructions(outcome),
    innerInstructionsNone: isUntraced,
    returnData,
    returnDataNone: returnData === undefined,
    computeUnitsConsumed: meta.computeUnitsConsumed(),
  }
}

function isWritable({ content }: WireTransaction, loadedWritable: number, position: number): boolean {
  const { header, accountKeys } = content.message
  const staticKeys = accountKeys.length
  if (position >= staticKeys) return position < staticKeys + loadedWritable
  const {
    numRequiredSignatures = 0,
    numReadonlySignedAccounts = 0,
    numReadonlyUnsignedAccounts = 0,
  } = header ?? {}
  if (position < numRequiredSignatures) return position < numRequiredSignatures - numReadonlySignedAccounts
  return position < staticKeys - numReadonlyUnsignedAccounts
}

// Finds accounts that cannot be written even if the message declares them writable: those of the validator itself, and
// called programs, except for a possible upgrade.
function findFixed(
  { content }: WireTransaction,
  keys: readonly Uint8Array[],
): (position: number, account: EngineAccount | undefined) => boolean {
  const called = new Set(content.message.instructions.map(({ programIdIndex }) => programIdIndex))
  const mayUpgrade = keys.some((key) => upgradeableLoader.equals(key))
  return (position, account) => {
    const owner = account?.owner() ?? systemProgram
    return (called.has(position) && !mayUpgrade) || nodeOwners.some((nodeOwner) => nodeOwner.equals(owner))
  }
}

/** Returns the state of an account; a missing one has no lamports, no data and no owner. */
export function describeAccount(pubkey: Uint8Array, account: EngineAccount | undefined): AccountState {
  if (account === undefined || account.lamports() === 0n) {
    const data = new Uint8Array()
    return { pubkey, lamports: 0n, owner: systemProgram, executable: false, rentEpoch: 0n, data }
  }
  return stateOf(pubkey, account)
}

function keyOf(text: string): Buffer {
  return Buffer.from(getAddressEncoder().encode(text as Address))
}

function balance(account: EngineAccount | undefined): bigint {
  return account?.lamports() ?? 0n
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
