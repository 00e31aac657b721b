import { FairleadError } from '@fairlead/core'
import type { SubscribeUpdateTransactionInfo } from '../../generated/geyser.ts'
import type { TokenBalance } from '../../generated/solana-storage.ts'
import { encodeBase58 } from '../base58.ts'

/** A transaction with its effects, as part of a transaction update or a block. */
export type TransactionInfo = Pick<SubscribeUpdateTransactionInfo, 'transaction' | 'meta'>

/** An account that takes part in a transaction. */
export interface AccountKey {
  /** Base58. */
  readonly address: string
  readonly signer: boolean
  readonly writable: boolean
  /** True when the account was loaded from an address lookup table. */
  readonly loaded: boolean
}

/**
 * Lists the accounts of a transaction: first those in the message itself, then those from lookup tables, the writable
 * ones before the readonly ones. Every index inside the transaction is a position in this list.
 *
 * @param info - `value.transaction` of a transaction update, or a member of `transactions` of a block
 * @returns all accounts in order
 * @throws FairleadError `DECODE_INVALID` when the message or its header is missing
 * @example
 * ```ts
 * const payer = accountKeys(info)[0]?.address
 * ```
 * @see specs/grpc/solana-storage.proto, Message
 */
export function accountKeys({ transaction, meta }: TransactionInfo): readonly AccountKey[] {
  const message = transaction?.message
  const header = message?.header
  if (!message || !header) throw invalid('accountKeys', 'transaction.message.header', 'must be there')
  const { numRequiredSignatures: signers } = header
  const writableSigners = signers - header.numReadonlySignedAccounts
  const writableNonSigners = message.accountKeys.length - header.numReadonlyUnsignedAccounts
  const listed = message.accountKeys.map((key, position) => {
    const signer = position < signers
    const writable = position < (signer ? writableSigners : writableNonSigners)
    return { address: encodeBase58(key), signer, writable, loaded: false }
  })
  const loaded = (keys: readonly Uint8Array[] = [], writable: boolean) =>
    keys.map((key) => ({ address: encodeBase58(key), signer: false, writable, loaded: true }))
  return [
    ...listed,
    ...loaded(meta?.loadedWritableAddresses, true),
    ...loaded(meta?.loadedReadonlyAddresses, false),
  ]
}

/** An instruction with addresses instead of indexes. */
export interface InstructionView {
  /** Base58. */
  readonly programId: string
  /** Base58, in the order of the instruction. */
  readonly accounts: readonly string[]
  readonly data: Uint8Array
  /** Depth of the call, 1 for an instruction of the transaction itself; undefined when the node did not record it. */
  readonly stackHeight: number | undefined
}

/**
 * An instruction of a transaction with its inner instructions, which are undefined when the node did not record them.
 */
export interface OuterInstructionView extends InstructionView {
  readonly inner: readonly InstructionView[] | undefined
}

/**
 * Lists the instructions of a transaction, each with the inner instructions that programs called.
 *
 * @param info - `value.transaction` of a transaction update, or a member of `transactions` of a block
 * @returns the instructions in the order of the transaction
 * @throws FairleadError `DECODE_INVALID` when the message is missing, or an index is out of range
 * @example
 * ```ts
 * for (const { programId, inner } of instructions(info)) console.log(programId, inner?.length)
 * ```
 * @see specs/grpc/solana-storage.proto, CompiledInstruction and InnerInstructions
 */
export function instructions(info: TransactionInfo): readonly OuterInstructionView[] {
  const keys = accountKeys(info)
  const addressOf = (index: number) => {
    const key = keys[index]
    if (!key) throw invalid('instructions', 'transaction.message.instructions', 'must point at accounts')
    return key.address
  }
  const view = (
    instruction: { programIdIndex: number; accounts: Uint8Array; data: Uint8Array },
    stackHeight: number | undefined,
  ): InstructionView => ({
    programId: addressOf(instruction.programIdIndex),
    accounts: Array.from(instruction.accounts, addressOf),
    data: instruction.data,
    stackHeight,
  })
  const { meta } = info
  const recorded = meta !== undefined && !meta.innerInstructionsNone
  return (info.transaction?.message?.instructions ?? []).map((instruction, position) => ({
    ...view(instruction, 1),
    inner: recorded
      ? meta.innerInstructions
          .filter(({ index }) => index === position)
          .flatMap((group) => group.instructions.map((inner) => view(inner, inner.stackHeight)))
      : undefined,
  }))
}

/** How the balance of an account changed, in lamports. */
export interface LamportChange {
  /** Base58. */
  readonly address: string
  readonly before: bigint
  readonly after: bigint
  /** Difference of the balances after and before; negative for a decrease. */
  readonly change: bigint
}

/**
 * Lists the accounts whose balance a transaction changed, including the fee.
 *
 * @param info - `value.transaction` of a transaction update, or a member of `transactions` of a block
 * @returns the changes in lamports, in the order of the accounts
 * @throws FairleadError `DECODE_INVALID` when the message is missing, or the number of balances differs from the number
 *   of accounts
 * @example
 * ```ts
 * const received = lamportChanges(info).find(({ address }) => address === wallet)?.change ?? 0n
 * ```
 * @see specs/grpc/solana-storage.proto, TransactionStatusMeta
 */
export function lamportChanges(info: TransactionInfo): readonly LamportChange[] {
  const { preBalances = [], postBalances = [] } = info.meta ?? {}
  const keys = accountKeys(info)
  if (info.meta && (preBalances.length !== keys.length || postBalances.length !== keys.length)) {
    throw invalid('lamportChanges', 'meta.preBalances', 'must be as many as the accounts')
  }
  return keys.flatMap(({ address }, position) => {
    const before = preBalances[position] ?? 0n
    const after = postBalances[position] ?? 0n
    return before === after ? [] : [{ address, before, after, change: after - before }]
  })
}

/** The change of a token balance of an account, in the smallest unit of the token. */
export interface TokenBalanceChange {
  /** Base58 address of the token account. */
  readonly address: string
  /** Base58 address of the token. */
  readonly mint: string
  /** Base58 address of the owner of the token account; empty when an old node did not record it. */
  readonly owner: string
  /** Base58 address of the token program; empty when an old node did not record it. */
  readonly programId: string
  readonly decimals: number
  readonly before: bigint
  readonly after: bigint
  readonly change: bigint
}

/**
 * Lists the token accounts whose balance a transaction changed. A newly opened account had 0 before; a closed one has 0
 * after.
 *
 * @param info - `value.transaction` of a transaction update, or a member of `transactions` of a block
 * @returns the changes in the smallest unit of each token, in the order of the accounts
 * @throws FairleadError `DECODE_INVALID` when the message is missing, an index is out of range, or an amount is not a
 *   number
 * @example
 * ```ts
 * const received = tokenBalanceChanges(info).filter(({ owner }) => owner === wallet)
 * ```
 * @see specs/grpc/solana-storage.proto, TokenBalance
 */
export function tokenBalanceChanges(info: TransactionInfo): readonly TokenBalanceChange[] {
  const keys = accountKeys(info)
  const { preTokenBalances = [], postTokenBalances = [] } = info.meta ?? {}
  // An account can be closed and reopened for another token within one transaction.
  const keyOf = ({ accountIndex, mint }: TokenBalance) => `${accountIndex} ${mint}`
  const before = new Map(preTokenBalances.map((balance) => [keyOf(balance), balance]))
  const after = new Map(postTokenBalances.map((balance) => [keyOf(balance), balance]))
  const all = new Map([...before, ...after])
  return [...all]
    .toSorted(([, a], [, b]) => a.accountIndex - b.accountIndex)
    .flatMap(([key, balance]) => {
      const account = keys[balance.accountIndex]
      if (!account) throw invalid('tokenBalanceChanges', 'meta.preTokenBalances', 'must point at accounts')
      const amountBefore = amountOf(before.get(key))
      const amountAfter = amountOf(after.get(key))
      if (amountBefore === amountAfter) return []
      const { mint, owner, programId } = balance
      const decimals = balance.uiTokenAmount?.decimals ?? 0
      return [
        {
          address: account.address,
          mint,
          owner,
          programId,
          decimals,
          before: amountBefore,
          after: amountAfter,
          change: amountAfter - amountBefore,
        },
      ]
    })
}

/**
 * Returns the log lines of a transaction.
 *
 * @param info - `value.transaction` of a transaction update, or a member of `transactions` of a block
 * @returns the lines in order; undefined when the node did not record any, which differs from an empty list
 * @example
 * ```ts
 * const failed = logMessages(info)?.find((line) => line.includes(' failed: '))
 * ```
 * @see specs/grpc/solana-storage.proto, TransactionStatusMeta
 */
export function logMessages({ meta }: Pick<TransactionInfo, 'meta'>): readonly string[] | undefined {
  return meta && !meta.logMessagesNone ? meta.logMessages : undefined
}

function amountOf(balance: TokenBalance | undefined): bigint {
  const amount = balance?.uiTokenAmount?.amount ?? '0'
  if (/^\d+$/.test(amount)) return BigInt(amount)
  throw invalid(
    'tokenBalanceChanges',
    'meta.postTokenBalances.uiTokenAmount.amount',
    'must be a whole number',
  )
}

function invalid(operation: string, path: string, rule: string): FairleadError {
  return new FairleadError('DECODE_INVALID', { operation, path, rule })
}
