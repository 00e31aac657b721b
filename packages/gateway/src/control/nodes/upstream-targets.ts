import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { isLoopback } from '../../loopback.ts'
import { type AddressRules, addressIn, isAllowedAddress } from '../egress/address-rules.ts'
import { type Complaints, type GivenUpstreams, targetsOf } from './upstream-texts.ts'

/** Where upstreams may be. */
export interface TargetRules extends AddressRules {
  /** Addresses that this service itself is reached at. */
  readonly ownUrls: () => readonly string[]
  /** Domain below which every host is this service. */
  readonly ownDomain?: string | undefined
  /** Finds the addresses of a name; that of the system when left out. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
}

const forbidden = 'Must not lead into a network that this service may not call.'
const own = 'Must not lead to this service itself.'
const unresolved = 'Must name a host that can be found.'

/**
 * Complaints about upstreams that would let a caller reach what only this service can: link-local networks, where
 * clouds keep the credentials of machines, this service itself, and where it is configured so, private networks. A name
 * that cannot be resolved now passes where private networks do: there it can lead to nothing that is protected.
 *
 * @see https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html
 */
export async function complaintsOfTargets(given: GivenUpstreams, rules: TargetRules): Promise<Complaints> {
  const found = await Promise.all(
    targetsOf(given).map(async ({ field, url }) => [field, await complaintOf(url, rules)] as const),
  )
  return Object.fromEntries(
    found.flatMap(([field, complaint]) => (complaint === undefined ? [] : [[field, [complaint]]])),
  )
}

async function complaintOf(url: URL, rules: TargetRules): Promise<string | undefined> {
  const { isPrivateAllowed, ownUrls, ownDomain, resolve = resolveName } = rules
  if (ownDomain !== undefined && `.${url.hostname}`.endsWith(`.${ownDomain.toLowerCase()}`)) return own
  const ownPlaces = ownUrls().map((text) => new URL(text))
  if (ownPlaces.some(({ hostname, port }) => hostname === url.hostname && port === url.port)) return own
  const literal = addressIn(url.hostname)
  const addresses = literal === undefined ? await resolve(url.hostname).catch(() => []) : [literal]
  if (addresses.length === 0) return isPrivateAllowed ? undefined : unresolved
  if (!addresses.every((address) => isAllowedAddress(address, rules))) return forbidden
  const isOwnPort = ownPlaces.some((place) => portOf(place) === portOf(url))
  return isOwnPort && addresses.some(isThisMachine) ? own : undefined
}

async function resolveName(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}

function isThisMachine(address: string): boolean {
  if (isLoopback(address)) return true
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address))
}

const defaultPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'ws:': '80',
  'https:': '443',
  'wss:': '443',
}

function portOf({ protocol, port }: URL): string {
  return port === '' ? (defaultPorts[protocol] ?? '') : port
}
