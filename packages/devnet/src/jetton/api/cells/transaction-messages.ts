import { Dictionary, type Cell, type Transaction } from '@ton/core'

/** The messages of a transaction as the cells that it holds, so that their hashes are the true ones. */
export interface TransactionMessages {
  readonly incoming: Cell | undefined
  /** In the order in which they were sent. */
  readonly outgoing: readonly Cell[]
}

/**
 * Takes the messages out of a transaction without writing them anew: the same message can be laid out in several
 * ways, and each of them has a hash of its own.
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
