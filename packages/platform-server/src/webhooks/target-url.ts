import { addressIn, isAllowedAddress } from '@fairlead/gateway-core/network/network-policy'
import type { ConnectionRules } from '@fairlead/gateway-core/network/guarded-connect'
import { isGatewayAddress, isGatewayName, portOf } from '@fairlead/gateway-core/network/gateway-addresses'

/**
 * Returns what is wrong with the URL of a webhook, as the end of a sentence; undefined for a valid URL. The IP
 * addresses of a host name are checked when it is resolved, before each attempt.
 *
 * @param rules - where private addresses are allowed, plain HTTP is allowed as well
 */
export function targetProblem(url: string, rules: ConnectionRules): string | undefined {
  // A URL parser drops or replaces these, so the displayed URL would differ from the requested one.
  if (url.includes('\\')) return 'Must not contain backslashes.'
  if (/[\p{Cc}\p{Cf}\p{Cs}]/u.test(url)) return 'Must not contain control characters.'
  if (/\p{Z}/u.test(url)) return 'Must not contain spaces.'
  if (!URL.canParse(url)) return 'Must be an absolute URL.'
  const { protocol, username, password, hash, hostname } = new URL(url)
  const protocols = rules.isPrivateAllowed ? ['https:', 'http:'] : ['https:']
  if (!protocols.includes(protocol)) return `Must begin with ${protocols.join('// or ')}//.`
  if (username !== '' || password !== '') return 'Must not contain a user name or a password.'
  if (hash !== '') return 'Must not contain a fragment.'
  const address = addressIn(hostname)
  const port = portOf(new URL(url))
  const { gateway: gatewayAddresses } = rules
  if (gatewayAddresses !== undefined) {
    const isGateway =
      address === undefined
        ? isGatewayName(hostname, port, gatewayAddresses)
        : isGatewayAddress(address, port, gatewayAddresses)
    if (isGateway) return 'Must not point to this gateway.'
  }
  if (address !== undefined && !isAllowedAddress(address, rules))
    return 'Must resolve to a public IP address.'
  return undefined
}
