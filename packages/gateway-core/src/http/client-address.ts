import type { IncomingHttpHeaders } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import type { Grant } from '../grants/grant.ts'
import { addressList, isListed, plainAddress } from '../admission/access-rules.ts'

/** What a request says about where it comes from. */
export interface RequestSource {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
  /** Shared with the requests of the same connection that have the very same head. */
  readonly headState?: HeadState | undefined
}

/** What is remembered of a request for others like it. */
export interface HeadState {
  /** What decided how the request was read; the rest holds for nothing else. */
  readBy?: object
  /** Address of the client. */
  address?: string | undefined
  /** What the credential opened, and in which state of the directory. */
  entered?: { readonly grant: Grant; readonly protocol: string; readonly version: number } | undefined
}

/** The proxies whose word counts. */
export interface TrustedProxies {
  has(address: string): boolean
}

/** Those who are believed when no addresses are given: this machine and private networks. */
const privateRanges = [
  '127.0.0.0/8',
  '::1',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
]

// More is not a way that a request takes.
const mostHops = 32

/** The addresses and CIDR ranges of a text, with commas or blanks between. */
export function rangesIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}

/**
 * Makes the list of proxies whose word about clients counts.
 *
 * @param trustedProxies - addresses and CIDR ranges with commas or spaces between
 * @param trustProxy - whether, without such a list, this machine and private networks are believed
 * @returns undefined when nobody is
 */
export function trustedProxiesOf(
  trustedProxies: string | undefined,
  trustProxy: boolean,
): TrustedProxies | undefined {
  const values = trustedProxies === undefined ? (trustProxy ? privateRanges : []) : rangesIn(trustedProxies)
  if (values.length === 0) return undefined
  const list: BlockList = addressList(values)
  return { has: (address) => isListed(list, address) }
}

/**
 * Finds the address of the client: that of the connection, or behind trusted proxies the last one that none of them has.
 * `Forwarded` (RFC 7239) is read when there is no `X-Forwarded-For`.
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
  for (const hop of hops.toReversed().slice(0, mostHops)) {
    // What a trusted proxy could not name is unknown: the proxy itself is the last that is certain.
    if (hop === undefined) return client
    client = hop
    if (!trusted.has(hop)) return client
  }
  return client
}

/** The addresses that proxies have written down, the client's first; undefined for what is no address. */
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

/** `192.0.2.7`, `192.0.2.7:80`, `2001:db8::7` or `[2001:db8::7]:80` without the port. */
function addressOf(written: string): string | undefined {
  const text = written.trim()
  const inBrackets = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1]
  const withPort = /^(\d{1,3}(?:\.\d{1,3}){3}):\d+$/.exec(text)?.[1]
  const address = plainAddress(inBrackets ?? withPort ?? text)
  return isIP(address) === 0 ? undefined : address
}
