import { FairleadError } from '@fairlead/core'

/**
 * The fields of an SSZ response other than the bytes, by their JSON names. The specification sends them as headers.
 *
 * `version` is set when the JSON response has it. Many nodes omit the other fields.
 */
export type SszEnvelope<json> = json extends { readonly version: infer version }
  ? { readonly version: version } & Readonly<Partial<Omit<json, 'data' | 'version'>>>
  : json extends readonly unknown[]
    ? object
    : Readonly<Partial<Omit<json, 'data'>>>

const fields: readonly (readonly [field: string, header: string])[] = [
  ['version', 'eth-consensus-version'],
  ['execution_optimistic', 'eth-execution-optimistic'],
  ['finalized', 'eth-consensus-finalized'],
  ['execution_payload_blinded', 'eth-execution-payload-blinded'],
  ['execution_payload_value', 'eth-execution-payload-value'],
  ['consensus_block_value', 'eth-consensus-block-value'],
  ['execution_payload_included', 'eth-execution-payload-included'],
]

/** Reads the envelope from the headers of a response. */
export function envelopeOf<json>(headers: Headers): SszEnvelope<json> {
  const found = fields.flatMap(([field, header]) => {
    const value = headers.get(header)
    if (value === null) return []
    return [[field, /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value]]
  })
  return Object.fromEntries(found) as SszEnvelope<json>
}

/** The media type of SSZ. */
export const octetStream = 'application/octet-stream'

/** Throws for a successful response in another format, because its bytes would be read as SSZ. */
export function requireOctetStream(operation: string, headers: Headers): void {
  if (headers.get('content-type')?.startsWith(octetStream)) return
  throw new FairleadError('DECODE_INVALID', {
    operation,
    path: 'content-type',
    rule: `must be ${octetStream}`,
  })
}
