import { isRecord } from '@fairlead/gateway-core/json'
import type { JettonNodeAnswer } from '../upstream/types.ts'
import { JettonError } from '../jetton-error.ts'

/** An object in an upstream response. */
export type NodeRecord = Readonly<Record<string, unknown>>

/**
 * Returns the object of an upstream response.
 *
 * @throws JettonError with the upstream's status and message when it rejected the request, with 502 when the response
 * cannot be parsed
 */
export function recordOf({ status, body }: JettonNodeAnswer): NodeRecord {
  const record = isRecord(body) ? body : undefined
  if (status >= 400) throw new JettonError(status, wordsOf(record) ?? `The node answered HTTP ${status}.`)
  if (record === undefined) throw unreadable()
  return record
}

/** Creates the error for an unexpected upstream response. */
export function unreadable(): JettonError {
  return new JettonError(502, "The node's answer cannot be read.")
}

function wordsOf(record: NodeRecord | undefined): string | undefined {
  const words = record?.['error']
  return typeof words === 'string' ? words : undefined
}
