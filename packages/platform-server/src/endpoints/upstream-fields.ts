import { FairleadError } from '@fairlead/core'
import { parseUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { ProtocolDescription, UpstreamField } from '@fairlead/gateway-core/protocol/description'
import type { Body, Success } from '../platform-api/platform-call.ts'
import type { UpstreamTexts } from '../records/encrypted-upstreams.ts'
import type { UpstreamProtocol } from './chains.ts'

/** Upstream URLs in the platform API's input format. */
export type UpstreamInput = NonNullable<Body<'createNode'>['upstreams']>

/** An upstream as the platform API returns it. */
export type UpstreamResource = Success<'getNode'>['upstreams'][number]

/** Validation errors by field. */
export type ValidationErrors = Readonly<Record<string, readonly string[]>>

type Protocols = readonly ProtocolDescription[]

/** Converts upstreams to their stored format. */
export function textsOf(protocols: Protocols, input: UpstreamInput): UpstreamTexts {
  return Object.fromEntries(
    fieldsOf(protocols).flatMap(({ name, recordName }) => {
      const text = textIn(input, name)
      return text === undefined ? [] : [[recordName, text.trim()]]
    }),
  )
}

/** Validates the syntax of upstream URLs; an error never contains a URL. */
export function validateUpstreams(protocols: Protocols, input: UpstreamInput): ValidationErrors {
  const errors: Record<string, readonly string[]> = {}
  const fields = fieldsOf(protocols)
  for (const field of fields) {
    const text = textIn(input, field.name)
    const message = text === undefined ? undefined : validateUpstream(field, text)
    if (message !== undefined) errors[`upstreams.${field.name}`] = [message]
  }
  for (const { name, requires } of fields) {
    const isIncomplete = requires !== undefined && textIn(input, requires.field) === undefined
    if (isIncomplete && textIn(input, name) !== undefined) errors[`upstreams.${name}`] = [requires.message]
  }
  return errors
}

/** Returns the URLs of upstreams with the field of each. */
export function targetsOf(
  protocols: Protocols,
  input: UpstreamInput,
): readonly { readonly field: string; readonly url: URL }[] {
  return fieldsOf(protocols).flatMap(({ name }) =>
    parseUpstreams(textIn(input, name) ?? '').map(({ address }) => ({
      field: `upstreams.${name}`,
      url: new URL(address),
    })),
  )
}

/** Returns the upstreams of a node without their credentials. */
export function presentUpstreams(protocols: Protocols, texts: UpstreamTexts): readonly UpstreamResource[] {
  return fieldsOf(protocols).flatMap(({ name, recordName }) =>
    addressesOf(texts[recordName] ?? '').map((address) => ({
      protocol: name as UpstreamProtocol,
      address: shownAddress(address),
    })),
  )
}

/** Returns the upstream fields of all protocols, in order. */
export function fieldsOf(protocols: Protocols): readonly UpstreamField[] {
  return protocols.flatMap(({ upstreamFields }) => upstreamFields)
}

function textIn(input: Readonly<Partial<Record<string, string>>>, name: string): string | undefined {
  return input[name]
}

function addressesOf(text: string): readonly string[] {
  try {
    return parseUpstreams(text).map(({ address }) => address)
  } catch {
    // The error was already reported for the configuration; the text may contain a secret.
    return []
  }
}

function shownAddress(address: string): string {
  const url = URL.parse(address)
  return url === null ? (address === 'devnet' ? address : '') : `${url.protocol}//${url.host}`
}

function validateUpstream({ schemes, isSingle, check }: UpstreamField, text: string): string | undefined {
  const records = recordsOf(text)
  if (typeof records === 'string') return records
  if (records.length === 0) return 'Must contain at least one URL.'
  if (records.length > 1 && isSingle) return 'Must be a single URL.'
  for (const { address, certificateAuthorityFile, jwtSecretFile } of records) {
    if (certificateAuthorityFile !== undefined || jwtSecretFile !== undefined) {
      return 'Must not name a file. Only the configuration of the gateway can name files.'
    }
    const url = URL.parse(address)
    if (url === null || !schemes.includes(url.protocol) || url.hostname === '') {
      return `Must be a URL that begins with ${schemes.join('// or ')}//.`
    }
    const message = check?.(address)
    if (message !== undefined) return message
  }
  return undefined
}

function recordsOf(text: string) {
  try {
    return parseUpstreams(text)
  } catch (error) {
    if (!FairleadError.is(error, 'CONFIG_INVALID')) throw error
    return `${capital(error.details.rule)}.`
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
