import { isIP } from 'node:net'
import { isAllowedTarget, type TargetRules } from './target-address.ts'

/**
 * What is wrong with an address that events are to be sent to, as the end of a sentence; undefined when nothing is. A
 * name is judged when it is resolved, before each attempt.
 */
export function problemOfTarget(url: string, rules: TargetRules): string | undefined {
  if (!URL.canParse(url)) return 'Must be an absolute URL.'
  const { protocol, username, password, hash, hostname } = new URL(url)
  const protocols = rules.isPrivateAllowed ? ['https:', 'http:'] : ['https:']
  if (!protocols.includes(protocol)) return `Must begin with ${protocols.join('// or ')}//.`
  if (username !== '' || password !== '') return 'Must have no user name and no password.'
  if (hash !== '') return 'Must have no fragment.'
  const address = addressIn(hostname)
  if (address !== undefined && !isAllowedTarget(address, rules)) return 'Must lead to a public address.'
  return undefined
}

/** The IP address that the host of a URL is, without the brackets of IPv6; undefined for a name. */
export function addressIn(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) === 0 ? undefined : bare
}
