import { lookup } from 'node:dns/promises'
import {
  type NetworkPolicy,
  addressIn,
  isAllowedAddress,
} from '@fairlead/gateway-core/network/network-policy'
import {
  isLocalhost,
  isOwnAddress,
  isOwnName,
  type OwnService,
  portOf,
} from '@fairlead/gateway-core/network/own-service'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import { type Complaints, type GivenUpstreams, targetsOf } from './upstream-fields.ts'

/** Where upstreams may be. */
export interface TargetRules extends NetworkPolicy {
  /** Addresses that this service itself is reached at. */
  readonly ownUrls: () => readonly string[]
  /** Domain below which every host is this service. */
  readonly ownDomain?: string | undefined
  /** Finds the addresses of a name; that of the system when left out. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
}

const forbidden = 'Must not lead into a network that this service may not call.'
const ownService = 'Must not lead to this service itself.'
const unresolved = 'Must name a host that can be found.'

/**
 * Complaints about upstreams that would let a caller reach what only this service can: link-local networks, where
 * clouds keep the credentials of machines, this service itself, and where it is configured so, private networks. A name
 * that cannot be resolved now passes where private networks do. Each connection checks the address again.
 *
 * @see https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html
 */
export async function complaintsOfTargets(
  protocols: readonly ProtocolDescription[],
  given: GivenUpstreams,
  rules: TargetRules,
): Promise<Complaints> {
  const found = await Promise.all(
    targetsOf(protocols, given).map(
      async ({ field, url }) => [field, await complaintOf(url, rules)] as const,
    ),
  )
  return Object.fromEntries(
    found.flatMap(([field, complaint]) => (complaint === undefined ? [] : [[field, [complaint]]])),
  )
}

async function complaintOf(url: URL, rules: TargetRules): Promise<string | undefined> {
  const { isPrivateAllowed, ownUrls, ownDomain } = rules
  const own: OwnService = { urls: ownUrls, domain: () => ownDomain }
  const port = portOf(url)
  if (isOwnName(url.hostname, port, own)) return ownService
  const addresses = await addressesOf(url.hostname, rules)
  if (addresses.length === 0) return isPrivateAllowed ? undefined : unresolved
  if (addresses.some((address) => isOwnAddress(address, port, own))) return ownService
  return addresses.every((address) => isAllowedAddress(address, rules)) ? undefined : forbidden
}

async function addressesOf(
  hostname: string,
  { resolve = resolveName }: TargetRules,
): Promise<readonly string[]> {
  const literal = addressIn(hostname)
  if (literal !== undefined) return [literal]
  if (isLocalhost(hostname)) return ['127.0.0.1', '::1']
  return resolve(hostname).catch(() => [])
}

async function resolveName(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}
