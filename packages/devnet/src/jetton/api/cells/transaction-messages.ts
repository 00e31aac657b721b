import { Dictionary, type Cell, type Transaction } from '@ton/core'

/** The original cells of the messages of a transaction, which have the correct hashes. */
export interface TransactionMessages {
  readonly incoming: Cell | undefined
  /** In the order in which they were sent. */
  readonly outgoing: readonly Cell[]
}

/**
 * Extracts the messages of a transaction without serializing them again: a message can be serialized in several ways,
 * each with a different hash.
 *
 * @param transaction a parsed transaction
 * @returns the cells of its messages
 */
export function transactionMessages(transaction: Transaction): TransactionMessages {
  const slice = transaction.raw.beginParse().loadRef().beginParse()
  const incoming = slice.loadMaybeRef() ?? undefined
  const outgoing = slice.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell())
  return {
    incoming,
    outgoing: outgoing
      .keys()
      .toSorted((left, right) => left - right)
      .flatMap((key) => outgoing.get(key) ?? []),
  }
}
