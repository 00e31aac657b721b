import { isRecord } from '@fairlead/gateway-core/json'
import type { JettonNodeAnswer } from '../upstream/types.ts'
import { JettonError } from '../jetton-error.ts'

/** An object that a node sent. */
export type NodeRecord = Readonly<Record<string, unknown>>

/**
 * Takes the object out of an answer of a node.
 *
 * @throws JettonError with the node's status and words when it refused, with 502 when it cannot be understood
 */
export function recordOf({ status, body }: JettonNodeAnswer): NodeRecord {
  const record = isRecord(body) ? body : undefined
  if (status >= 400) throw new JettonError(status, wordsOf(record) ?? `The node answered HTTP ${status}.`)
  if (record === undefined) throw unreadable()
  return record
}

/** The failure of an answer that is not what nodes answer. */
export function unreadable(): JettonError {
  return new JettonError(502, "The node's answer cannot be read.")
}

function wordsOf(record: NodeRecord | undefined): string | undefined {
  const words = record?.['error']
  return typeof words === 'string' ? words : undefined
}
