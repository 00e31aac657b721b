import { loadMessage, type Cell, type CommonMessageInfo } from '@ton/core'
import { transactionMessages } from '../../cells/transaction-messages.ts'
import type { ChainTransaction, Trace } from '../../../chain/jetton-chain.ts'
import { readOpcode } from '../decode/opcode.ts'

/** The message that started a transaction. */
export interface ReceivedMessage {
  readonly info: CommonMessageInfo
  readonly body: Cell
  readonly opcode: number | undefined
}

/** A transaction of a trace, parsed once. */
export interface Step {
  readonly transaction: ChainTransaction
  readonly message: ReceivedMessage
  /** Whether the message bounced to its sender. */
  readonly isBounced: boolean
  /** Whether the transaction was reverted: its compute phase or its action phase failed. */
  readonly isAborted: boolean
  readonly children: readonly Step[]
}

/** Parses the transactions of a trace, in the order of execution. */
export function stepsOf({ transactions }: Trace): readonly Step[] {
  const steps = new Map<ChainTransaction, Step>()
  // The children of a transaction follow it in the list.
  for (const transaction of transactions.toReversed()) {
    const children = transaction.children.flatMap((child) => steps.get(child) ?? [])
    const step = readStep(transaction, children)
    if (step !== undefined) steps.set(transaction, step)
  }
  return [...steps.values()].toReversed()
}

function readStep(transaction: ChainTransaction, children: readonly Step[]): Step | undefined {
  const parsed = transaction.parse()
  const { description } = parsed
  const { incoming } = transactionMessages(parsed)
  if (incoming === undefined) return undefined
  const { info, body } = loadMessage(incoming.beginParse())
  return {
    transaction,
    message: { info, body, opcode: readOpcode(body) },
    isBounced: info.type === 'internal' && info.bounced,
    isAborted: 'aborted' in description && description.aborted,
    children,
  }
}

/** Finds the first child step whose message has an operation code; bounced messages do not count. */
export function childBy(step: Step | undefined, opcode: number): Step | undefined {
  return step?.children.find(({ message, isBounced }) => message.opcode === opcode && !isBounced)
}
