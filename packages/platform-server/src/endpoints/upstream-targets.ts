import { lookup } from 'node:dns/promises'
import {
  type NetworkPolicy,
  addressIn,
  isAllowedAddress,
} from '@fairlead/gateway-core/network/network-policy'
import {
  isLocalhost,
  isGatewayAddress,
  isGatewayName,
  type GatewayAddresses,
  portOf,
} from '@fairlead/gateway-core/network/gateway-addresses'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import { type ValidationErrors, type UpstreamInput, targetsOf } from './upstream-fields.ts'

/** Rules for the network location of upstreams. */
export interface TargetRules extends NetworkPolicy {
  /** URLs of the gateway itself. */
  readonly gatewayUrls: () => readonly string[]
  /** Domain whose subdomains all belong to the gateway. */
  readonly nodeDomain?: string | undefined
  /** Resolves a host name to IP addresses. Default: the system resolver. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
}

const forbidden = 'Must not resolve to an IP address that the network policy of the gateway rejects.'
const pointsToGateway = 'Must not point to this gateway.'
const unresolved = 'Must have a host name that resolves.'

/**
 * Returns validation errors for upstreams that would give a caller access to what only the gateway can reach:
 * link-local networks, where clouds serve machine credentials, the gateway itself and, unless allowed by the
 * configuration, private networks. A name that does not resolve yet is accepted where private networks are allowed.
 * Each connection checks the IP address again.
 *
 * @see https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html
 */
export async function validateTargets(
  protocols: readonly ProtocolDescription[],
  input: UpstreamInput,
  rules: TargetRules,
): Promise<ValidationErrors> {
  const found = await Promise.all(
    targetsOf(protocols, input).map(
      async ({ field, url }) => [field, await validateTarget(url, rules)] as const,
    ),
  )
  return Object.fromEntries(
    found.flatMap(([field, message]) => (message === undefined ? [] : [[field, [message]]])),
  )
}

async function validateTarget(url: URL, rules: TargetRules): Promise<string | undefined> {
  const { isPrivateAllowed, gatewayUrls, nodeDomain } = rules
  const gatewayAddresses: GatewayAddresses = { urls: gatewayUrls, domain: () => nodeDomain }
  const port = portOf(url)
  if (isGatewayName(url.hostname, port, gatewayAddresses)) return pointsToGateway
  const addresses = await addressesOf(url.hostname, rules)
  if (addresses.length === 0) return isPrivateAllowed ? undefined : unresolved
  if (addresses.some((address) => isGatewayAddress(address, port, gatewayAddresses))) return pointsToGateway
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
