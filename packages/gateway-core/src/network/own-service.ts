import { networkInterfaces } from 'node:os'
import { isLoopback } from '../http/loopback.ts'
import { formsOf } from './address-forms.ts'

/** Where this service itself is reached. */
export interface OwnService {
  /** URLs of its listening sockets and its public URL. */
  readonly urls: () => readonly string[]
  /** Domain below which every host is this service. */
  readonly domain?: (() => string | undefined) | undefined
}

/** Returns true if a host name with a port, as a URL has them, is this service. */
export function isOwnName(hostname: string, port: number, own: OwnService): boolean {
  const name = withoutDot(hostname)
  const domain = own.domain?.()
  if (domain !== undefined && `.${name}`.endsWith(`.${withoutDot(domain)}`)) return true
  return own.urls().some((text) => {
    const url = new URL(text)
    return withoutDot(url.hostname) === name && portOf(url) === port
  })
}

/** Returns true if an IP address with a port is a listening socket of this service, also through an address it embeds. */
export function isOwnAddress(address: string, port: number, own: OwnService): boolean {
  return own.urls().some((text) => portOf(new URL(text)) === port) && isThisMachine(address)
}

/** Returns true for a name that stands for this machine without a look-up (RFC 6761, section 6.3). */
export function isLocalhost(hostname: string): boolean {
  return `.${withoutDot(hostname)}`.endsWith('.localhost')
}

/** The port that a URL leads to. */
export function portOf({ protocol, port }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' || protocol === 'wss:' ? 443 : 80
}

function isThisMachine(address: string): boolean {
  const forms = formsOf(address)
  const all = [forms.address, ...forms.embedded]
  if (all.some((form) => isLoopback(form) || unspecified.has(form))) return true
  const own = Object.values(networkInterfaces()).flatMap((interfaces) => interfaces ?? [])
  return own.some((one) => all.includes(formsOf(one.address).address))
}

// A connection to these goes to this machine.
const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

function withoutDot(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}
