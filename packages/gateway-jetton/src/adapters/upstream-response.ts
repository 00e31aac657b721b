import { isRecord } from '@fairlead/gateway-core/json'
import type { UpstreamResponse } from '../upstream/types.ts'
import { JettonError } from '../jetton-error.ts'

/** An object in an upstream response. */
export type JsonRecord = Readonly<Record<string, unknown>>

/**
 * Returns the object of an upstream response.
 *
 * @throws JettonError with the upstream's status and message when it rejected the request, with 502 when the response
 * cannot be parsed
 */
export function recordOf({ status, body }: UpstreamResponse): JsonRecord {
  const record = isRecord(body) ? body : undefined
  if (status >= 400)
    throw new JettonError(status, errorMessageOf(record) ?? `The upstream returned HTTP ${status}.`)
  if (record === undefined) throw invalidResponse()
  return record
}

/** Creates the error for an unexpected upstream response. */
export function invalidResponse(): JettonError {
  return new JettonError(502, 'The response of the upstream is invalid.')
}

function errorMessageOf(record: JsonRecord | undefined): string | undefined {
  const message = record?.['error']
  return typeof message === 'string' ? message : undefined
}
