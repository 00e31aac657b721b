import { FairleadError } from '@fairlead/core'
import { parseUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { ProtocolDescription, UpstreamField } from '@fairlead/gateway-core/protocol/description'
import type { Body, Success } from '../platform-api/platform-call.ts'
import type { UpstreamTexts } from '../records/sealed-upstreams.ts'
import type { UpstreamProtocol } from './chains.ts'

/** Upstream URLs in the platform API's input format. */
export type GivenUpstreams = NonNullable<Body<'createNode'>['upstreams']>

/** An upstream as the platform API returns it. */
export type ShownUpstream = Success<'getNode'>['upstreams'][number]

/** Validation errors by field. */
export type Complaints = Readonly<Record<string, readonly string[]>>

type Protocols = readonly ProtocolDescription[]

/** Converts upstreams to their stored format. */
export function textsOf(protocols: Protocols, given: GivenUpstreams): UpstreamTexts {
  return Object.fromEntries(
    fieldsOf(protocols).flatMap(({ name, recordName }) => {
      const text = textIn(given, name)
      return text === undefined ? [] : [[recordName, text.trim()]]
    }),
  )
}

/** Validates the syntax of upstream URLs; an error never contains a URL. */
export function complaintsOfTexts(protocols: Protocols, given: GivenUpstreams): Complaints {
  const complaints: Record<string, readonly string[]> = {}
  const fields = fieldsOf(protocols)
  for (const field of fields) {
    const text = textIn(given, field.name)
    const complaint = text === undefined ? undefined : complaintOf(field, text)
    if (complaint !== undefined) complaints[`upstreams.${field.name}`] = [complaint]
  }
  for (const { name, requires } of fields) {
    const isAlone = requires !== undefined && textIn(given, requires.field) === undefined
    if (isAlone && textIn(given, name) !== undefined) complaints[`upstreams.${name}`] = [requires.message]
  }
  return complaints
}

/** Returns the URLs of upstreams with the field of each. */
export function targetsOf(
  protocols: Protocols,
  given: GivenUpstreams,
): readonly { readonly field: string; readonly url: URL }[] {
  return fieldsOf(protocols).flatMap(({ name }) =>
    parseUpstreams(textIn(given, name) ?? '').map(({ address }) => ({
      field: `upstreams.${name}`,
      url: new URL(address),
    })),
  )
}

/** Returns the upstreams of a node without their credentials. */
export function shownUpstreams(protocols: Protocols, texts: UpstreamTexts): readonly ShownUpstream[] {
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

function textIn(given: Readonly<Partial<Record<string, string>>>, name: string): string | undefined {
  return given[name]
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

function complaintOf({ schemes, isSingle, check }: UpstreamField, text: string): string | undefined {
  const records = recordsOf(text)
  if (typeof records === 'string') return records
  if (records.length === 0) return 'Must be at least one address.'
  if (records.length > 1 && isSingle) return 'Must be one address.'
  for (const { address, certificateAuthorityFile, jwtSecretFile } of records) {
    if (certificateAuthorityFile !== undefined || jwtSecretFile !== undefined) {
      return 'Must not name a file; the configuration of the service can.'
    }
    const url = URL.parse(address)
    if (url === null || !schemes.includes(url.protocol) || url.hostname === '') {
      return `Must be an address that begins with ${schemes.join('// or ')}//.`
    }
    const complaint = check?.(address)
    if (complaint !== undefined) return complaint
  }
  return undefined
}

function recordsOf(text: string) {
  try {
    return parseUpstreams(text)
  } catch (error) {
    if (!FairleadError.is(error, 'CONFIG_INVALID')) throw error
    return `${capital(error.context.rule)}.`
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
