import { networkInterfaces } from 'node:os'
import { isLoopback } from '../http/loopback.ts'
import { formsOf } from './address-forms.ts'

/** The URLs and hosts of this gateway itself. */
export interface GatewayAddresses {
  /** URLs of its listening sockets and its public URL. */
  readonly urls: () => readonly string[]
  /** Domain below which every host is this gateway. */
  readonly domain?: (() => string | undefined) | undefined
}

/** Whether a host name and port, as in a URL, belong to this gateway. */
export function isGatewayName(hostname: string, port: number, addresses: GatewayAddresses): boolean {
  const name = withoutDot(hostname)
  const domain = addresses.domain?.()
  if (domain !== undefined && `.${name}`.endsWith(`.${withoutDot(domain)}`)) return true
  return addresses.urls().some((text) => {
    const url = new URL(text)
    return withoutDot(url.hostname) === name && portOf(url) === port
  })
}

/** Whether an IP address and port are a listening socket of this gateway, also through an embedded address. */
export function isGatewayAddress(address: string, port: number, addresses: GatewayAddresses): boolean {
  return addresses.urls().some((text) => portOf(new URL(text)) === port) && isThisMachine(address)
}

/** Whether a name refers to this machine without a lookup (RFC 6761, section 6.3). */
export function isLocalhost(hostname: string): boolean {
  return `.${withoutDot(hostname)}`.endsWith('.localhost')
}

/** The explicit or default port of a URL. */
export function portOf({ protocol, port }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' || protocol === 'wss:' ? 443 : 80
}

function isThisMachine(address: string): boolean {
  const forms = formsOf(address)
  const all = [forms.address, ...forms.embedded]
  if (all.some((form) => isLoopback(form) || unspecified.has(form))) return true
  const addresses = Object.values(networkInterfaces()).flatMap((interfaces) => interfaces ?? [])
  return addresses.some((networkInterface) => all.includes(formsOf(networkInterface.address).address))
}

// A connection to these addresses goes to this machine.
const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

function withoutDot(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}
