import { loadMessage, type Cell } from '@ton/core'
import { writeHash } from '../../cells/hash.ts'
import { transactionMessages } from '../../cells/transaction-messages.ts'
import type { ChainTransaction } from '../../../chain/jetton-chain.ts'
import { readOpcode } from '../decode/opcode.ts'

/** The fields by which message lists are searched. Hashes are in base64, addresses in raw form. */
export interface ChainMessage {
  readonly hash: string
  /** Normalized hash of an external message (TEP-467). */
  readonly hashNorm: string | undefined
  readonly bodyHash: string
  readonly source: string | undefined
  readonly destination: string | undefined
  readonly opcode: number | undefined
  /** Undefined for an external message. */
  readonly createdLt: bigint | undefined
  readonly createdAt: number | undefined
  /** Transaction that sent it. */
  readonly sender: ChainTransaction | undefined
  /** Transaction that received it. */
  readonly receiver: ChainTransaction | undefined
}

// A scan of the whole chain reads each transaction once, independent of the number of requests.
const read = new WeakMap<ChainTransaction, readonly ChainMessage[]>()

/** Whether the messages of a transaction are cached. */
export function isRead(transaction: ChainTransaction): boolean {
  return read.has(transaction)
}

/**
 * Returns the messages that a transaction adds to the lists: the one that started it, if no other transaction sent it,
 * and then all messages that it sent.
 */
export function messagesOf(transaction: ChainTransaction): readonly ChainMessage[] {
  const known = read.get(transaction)
  if (known !== undefined) return known
  const { incoming, outgoing } = messageCells(transaction)
  const receivers = new Map<string, ChainTransaction>()
  for (const child of transaction.children) {
    const received = messageCells(child).incoming
    if (received !== undefined) receivers.set(writeHash(received.hash()), child)
  }
  const isFirst = incoming !== undefined && transaction.parent === undefined
  const messages = [
    ...(isFirst ? [factsOf(incoming, undefined, transaction)] : []),
    ...outgoing.map((cell) => factsOf(cell, transaction, receivers.get(writeHash(cell.hash())))),
  ]
  // Its children are complete from the beginning: a trace is executed as a whole.
  read.set(transaction, messages)
  return messages
}

function factsOf(
  cell: Cell,
  sender: ChainTransaction | undefined,
  receiver: ChainTransaction | undefined,
): ChainMessage {
  const { info, body } = loadMessage(cell.beginParse())
  const isExternal = info.type === 'external-in'
  return {
    hash: writeHash(cell.hash()),
    hashNorm: isExternal && receiver !== undefined ? writeHash(receiver.trace.externalHashNorm) : undefined,
    bodyHash: writeHash(body.hash()),
    source: isExternal ? undefined : info.src.toRawString(),
    destination: info.type === 'external-out' ? undefined : info.dest.toRawString(),
    opcode: readOpcode(body),
    createdLt: isExternal ? undefined : info.createdLt,
    createdAt: isExternal ? undefined : info.createdAt,
    sender,
    receiver,
  }
}

function messageCells(transaction: ChainTransaction) {
  return transactionMessages(transaction.parse())
}

/** Finds the cell of a message in the transaction that contains it. */
export function cellOf({ hash, sender, receiver }: ChainMessage): Cell {
  const { incoming, outgoing } = messageCells((receiver ?? sender) as ChainTransaction)
  const cell = [incoming, ...outgoing].find((candidate) => candidate && writeHash(candidate.hash()) === hash)
  return cell as Cell
}
