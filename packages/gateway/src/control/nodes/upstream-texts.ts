import { FairleadError } from '@fairlead/core'
import { parseGrpcAddress } from '../../access/forward/grpc/grpc-address.ts'
import { parseUpstreams } from '../../grants/upstream-record.ts'
import type { Body, Success } from '../platform-api/platform-call.ts'
import type { UpstreamTexts } from '../records/sealed-upstreams.ts'
import type { UpstreamProtocol } from './node-chains.ts'

/** Upstream addresses as the platform API takes them. */
export type GivenUpstreams = NonNullable<Body<'createNode'>['upstreams']>

/** An upstream as the platform API shows it. */
export type ShownUpstream = Success<'getNode'>['upstreams'][number]

/** Complaints by field. */
export type Complaints = Readonly<Record<string, readonly string[]>>

const wireNames = ['evm', 'websocket', 'beacon', 'jetton', 'jetton_v3', 'grpc'] as const satisfies readonly [
  ...(keyof GivenUpstreams)[],
]

const schemes: Readonly<Record<keyof GivenUpstreams, readonly string[]>> = {
  evm: ['http:', 'https:'],
  websocket: ['ws:', 'wss:'],
  beacon: ['http:', 'https:'],
  jetton: ['http:', 'https:'],
  jetton_v3: ['http:', 'https:'],
  grpc: ['http:', 'https:'],
}

// What only one address can be given for.
const singles: ReadonlySet<string> = new Set(['jetton', 'jetton_v3', 'grpc'])

/** The upstreams as the records hold them. */
export function textsOf(given: GivenUpstreams): UpstreamTexts {
  return Object.fromEntries(
    wireNames.flatMap((name) => {
      const text = given[name]
      return text === undefined ? [] : [[recordName(name), text.trim()]]
    }),
  )
}

/** What is wrong with the form of upstream addresses; a complaint never repeats one. */
export function complaintsOfTexts(given: GivenUpstreams): Complaints {
  const complaints: Record<string, readonly string[]> = {}
  for (const name of wireNames) {
    const text = given[name]
    const complaint = text === undefined ? undefined : complaintOf(name, text)
    if (complaint !== undefined) complaints[`upstreams.${name}`] = [complaint]
  }
  if (given.websocket !== undefined && given.evm === undefined) {
    complaints['upstreams.websocket'] = ['Needs the HTTP addresses of the same nodes in evm.']
  }
  if (given.jetton_v3 !== undefined && given.jetton === undefined) {
    complaints['upstreams.jetton_v3'] = ['Needs the address of a node of the same chain in jetton.']
  }
  return complaints
}

/** The hosts that upstreams lead to, by the field that names them. */
export function targetsOf(given: GivenUpstreams): readonly { readonly field: string; readonly url: URL }[] {
  return wireNames.flatMap((name) =>
    parseUpstreams(given[name] ?? '').map(({ address }) => ({
      field: `upstreams.${name}`,
      url: new URL(address),
    })),
  )
}

/** The upstreams of a node as they may be shown: where they are, and nothing that opens them. */
export function shownUpstreams(texts: UpstreamTexts): readonly ShownUpstream[] {
  return wireNames.flatMap((protocol) =>
    addressesOf(texts[recordName(protocol)] ?? '').map((address) => ({
      protocol,
      address: shownAddress(address),
    })),
  )
}

function addressesOf(text: string): readonly string[] {
  try {
    return parseUpstreams(text).map(({ address }) => address)
  } catch {
    // The configuration was told of it; the text may hold a secret.
    return []
  }
}

function shownAddress(address: string): string {
  const url = URL.parse(address)
  return url === null ? (address === 'devnet' ? address : '') : `${url.protocol}//${url.host}`
}

function complaintOf(name: keyof GivenUpstreams, text: string): string | undefined {
  const records = recordsOf(text)
  if (typeof records === 'string') return records
  if (records.length === 0) return 'Must be at least one address.'
  if (records.length > 1 && singles.has(name)) return 'Must be one address.'
  for (const { address, certificateAuthorityFile, jwtSecretFile } of records) {
    if (certificateAuthorityFile !== undefined || jwtSecretFile !== undefined) {
      return 'Must not name a file; the configuration of the service can.'
    }
    const url = URL.parse(address)
    if (url === null || !schemes[name].includes(url.protocol) || url.hostname === '') {
      return `Must be an address that begins with ${schemes[name].join('// or ')}//.`
    }
    if (name === 'grpc' && !parseGrpcAddress(address)) {
      return 'Must be an address without a path, with user information of the form name:value or none.'
    }
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

function recordName(name: UpstreamProtocol): string {
  return name === 'jetton_v3' ? 'jetton-v3' : name
}
