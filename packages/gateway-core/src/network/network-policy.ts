import { BlockList, isIP, isIPv4 } from 'node:net'
import { formsOf } from './address-forms.ts'

/** The IP addresses that the gateway may connect to on behalf of an organization. */
export interface NetworkPolicy {
  /** Whether private networks and this machine are allowed. */
  readonly isPrivateAllowed: boolean
}

// https://www.iana.org/assignments/iana-ipv4-special-registry, of November 2025
const privateIpv4 = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
]
// Unspecified, link-local with the metadata services of most clouds, multicast, reserved.
const neverIpv4 = ['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4']
// Other metadata services: Alibaba Cloud, Oracle Cloud, Azure; AWS and Google Cloud over IPv6.
const metadataIpv4 = ['100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32']
const metadataIpv6 = ['fd00:ec2::/32', 'fd20:ce::254/128']

// https://www.iana.org/assignments/ipv6-address-space: all other space is not assigned.
const globalIpv6 = ['2000::/3']
// https://www.iana.org/assignments/iana-ipv6-special-registry
// Teredo and 6to4 deliver to the IPv4 addresses that they embed.
const reservedIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']
const privateIpv6 = ['::1/128', 'fc00::/7']

const never = listOf([...neverIpv4, ...metadataIpv4], metadataIpv6)
const internal = listOf(privateIpv4, privateIpv6)
const reserved = listOf([], reservedIpv6)
const global = listOf(['0.0.0.0/0'], globalIpv6)

/** Whether the gateway may connect to an IP address and to each IPv4 address that it embeds. */
export function isAllowedAddress(address: string, rules: NetworkPolicy): boolean {
  const { address: canonical, ipv4, embedded } = formsOf(address)
  if (ipv4 !== undefined) return isAllowedForm(ipv4, rules)
  return [canonical, ...embedded].every((form) => isAllowedForm(form, rules))
}

/** Returns the IP address in the host of a URL, without the brackets of IPv6; undefined for a name. */
export function addressIn(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) === 0 ? undefined : bare
}

function isAllowedForm(address: string, { isPrivateAllowed }: NetworkPolicy): boolean {
  const kind = isIPv4(address) ? 'ipv4' : 'ipv6'
  const isInRanges = (list: BlockList) => list.check(address, kind)
  if (isInRanges(never)) return false
  if (isInRanges(internal)) return isPrivateAllowed
  return isInRanges(global) && !isInRanges(reserved)
}

function listOf(ipv4: readonly string[], ipv6: readonly string[]): BlockList {
  const list = new BlockList()
  for (const [network, bits] of ipv4.map(cut)) list.addSubnet(network, bits, 'ipv4')
  for (const [network, bits] of ipv6.map(cut)) list.addSubnet(network, bits, 'ipv6')
  return list
}

function cut(range: string): readonly [string, number] {
  const [network = '', bits = ''] = range.split('/')
  return [network, Number(bits)]
}
