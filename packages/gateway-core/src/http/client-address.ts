import type { IncomingHttpHeaders } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import type { Grant } from '../grants/grant.ts'
import { addressList, isListed, plainAddress } from '../admission/access-rules.ts'

/** The origin information of a request. */
export interface RequestSource {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
  /** The HTTP/2 stream of the request. */
  readonly stream?: object | undefined
  /** Shared by the requests of the same connection that have identical headers. */
  readonly headState?: HeadState | undefined
}

/** State that is cached for requests with the same headers. */
export interface HeadState {
  /** The settings that the request was read with; the other fields are valid only for these. */
  readBy?: object
  /** IP address of the client. */
  address?: string | undefined
  /** The grant of the credential, and the version of the directory that it was read from. */
  entered?: { readonly grant: Grant; readonly protocol: string; readonly version: number } | undefined
}

/** The trusted proxies. */
export interface TrustedProxies {
  has(address: string): boolean
}

// No real request passes more proxies.
const maxHops = 32

/** Splits a list of IP addresses and CIDR ranges, separated by commas or whitespace. */
export function rangesIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}

/**
 * Creates the list of trusted proxies.
 *
 * @param trustedProxies - IP addresses and CIDR ranges separated by commas or spaces
 * @returns undefined when no proxy is trusted
 */
export function trustedProxiesOf(trustedProxies: string | undefined): TrustedProxies | undefined {
  const values = rangesIn(trustedProxies ?? '')
  if (values.length === 0) return undefined
  const list: BlockList = addressList(values)
  return { has: (address) => isListed(list, address) }
}

/**
 * Determines the IP address of the client: the peer of the connection, or, behind trusted proxies, the last forwarded
 * address that is not a trusted proxy. `Forwarded` (RFC 7239) is read when there is no `X-Forwarded-For`.
 */
export function clientAddress(
  { headers, socket }: RequestSource,
  trusted: TrustedProxies | undefined,
): string {
  const peer = plainAddress(socket.remoteAddress ?? '')
  if (trusted === undefined) return peer
  const hops = hopsOf(headers)
  if (hops.length === 0 || !trusted.has(peer)) return peer
  let client = peer
  for (const hop of hops.toReversed().slice(0, maxHops)) {
    // The client is unknown to the trusted proxy: the proxy itself is the last known address.
    if (hop === undefined) return client
    client = hop
    if (!trusted.has(hop)) return client
  }
  return client
}

/** The IP addresses that proxies have recorded, the client's first; undefined for invalid values. */
function hopsOf(headers: IncomingHttpHeaders): (string | undefined)[] {
  const listed = headers['x-forwarded-for']
  if (listed !== undefined) return [listed].flat().join(',').split(',').map(addressOf)
  const { forwarded } = headers
  if (forwarded === undefined) return []
  return forwarded.split(',').map((element) => {
    const [, written] = /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;\s]*)/i.exec(element) ?? []
    return addressOf(written?.replaceAll('"', '') ?? '')
  })
}

/** Parses `192.0.2.7`, `192.0.2.7:80`, `2001:db8::7` or `[2001:db8::7]:80`, without the port. */
function addressOf(written: string): string | undefined {
  const text = written.trim()
  const inBrackets = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1]
  const withPort = /^(\d{1,3}(?:\.\d{1,3}){3}):\d+$/.exec(text)?.[1]
  const address = plainAddress(inBrackets ?? withPort ?? text)
  return isIP(address) === 0 ? undefined : address
}
