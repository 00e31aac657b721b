import { BlockList, isIP } from 'node:net'
import type { AccessRule, RuleKind } from '../grants/access-rule.ts'
import type { Grant } from '../grants/grant.ts'
import type { Rejection, Requester } from './types.ts'
import { ruleRejections } from './rejections.ts'

/** The access rules of a node, compiled for fast checks. */
export interface CompiledRules {
  readonly hasOriginRules: boolean
  requester(requester: Requester): Rejection | undefined
  origin(origin: string | undefined): boolean
  method(method: string): Rejection | undefined
}

const compiled = new WeakMap<readonly AccessRule[], CompiledRules>()

/** The rules of the node of a grant; undefined when it has none. */
export function rulesOf({ accessRules }: Grant): CompiledRules | undefined {
  if (accessRules === undefined || accessRules.length === 0) return undefined
  const cached = compiled.get(accessRules)
  if (cached) return cached
  const rules = compile(accessRules)
  compiled.set(accessRules, rules)
  return rules
}

function compile(rules: readonly AccessRule[]): CompiledRules {
  const valuesOf = (kind: RuleKind, action: AccessRule['action']) =>
    rules.filter((rule) => rule.kind === kind && rule.action === action).map(({ value }) => value)
  const passes = <input>(
    kind: RuleKind,
    testOf: (values: readonly string[]) => (subject: input) => boolean,
  ) => {
    const [allowed, denied] = [valuesOf(kind, 'allow'), valuesOf(kind, 'deny')]
    if (allowed.length + denied.length === 0) return () => true
    const [isAllowed, isDenied] = [testOf(allowed), testOf(denied)]
    return (subject: input) => (allowed.length === 0 || isAllowed(subject)) && !isDenied(subject)
  }
  const byOrigin = passes('origin', originTest)
  const hasOriginRules = rules.some(({ kind }) => kind === 'origin')
  // Without the header, the origin of a call is unknown.
  const origin = (input: string | undefined) =>
    input === undefined ? !hasOriginRules : byOrigin(input.toLowerCase())
  const ip = passes('ip', addressTest)
  const method = passes('method', methodTest)
  return {
    hasOriginRules,
    requester: (requester) => {
      if (!origin(requester.origin)) return ruleRejections.origin
      return ip(requester.address) ? undefined : ruleRejections.ip
    },
    origin,
    method: (input) => (method(input) ? undefined : ruleRejections.method),
  }
}

function originTest(values: readonly string[]): (origin: string) => boolean {
  const lower = values.map((value) => value.toLowerCase().replace(/\/$/, ''))
  const endings = lower.filter((value) => value.startsWith('*.')).map((value) => value.slice(1))
  const exact = new Set(lower)
  return (origin) => {
    if (exact.has(origin)) return true
    const host = URL.canParse(origin) ? new URL(origin).hostname : ''
    return host !== '' && (exact.has(host) || endings.some((ending) => host.endsWith(ending)))
  }
}

function addressTest(values: readonly string[]): (address: string) => boolean {
  const list = addressList(values)
  return (address) => isListed(list, address)
}

/**
 * Creates a list of IP addresses and CIDR ranges. Other values are skipped, because they match no address.
 *
 * @param values - for example `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`
 */
export function addressList(values: readonly string[]): BlockList {
  const list = new BlockList()
  for (const value of values) {
    const [given = '', prefix] = value.split('/', 2)
    const address = plainAddress(given)
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    const maxPrefix = family === 'ipv6' ? 128 : 32
    // `::ffff:10.0.0.0/104` is `10.0.0.0/8`.
    const bits = prefix === undefined ? maxPrefix : Number(prefix) - (address === given ? 0 : 96)
    if (isIP(address) !== 0 && Number.isInteger(bits) && bits >= 0 && bits <= maxPrefix) {
      list.addSubnet(address, bits, family)
    }
  }
  return list
}

/** Whether a text is an IP address or a CIDR range. */
export function isAddressRange(text: string): boolean {
  return /^[^\s/]+(?:\/\d{1,3})?$/.test(text) && addressList([text]).rules.length === 1
}

/** Whether an IP address is on a list. An IPv4-mapped IPv6 address equals its IPv4 address. */
export function isListed(list: BlockList, address: string): boolean {
  const plain = plainAddress(address)
  const version = isIP(plain)
  return version !== 0 && list.check(plain, version === 6 ? 'ipv6' : 'ipv4')
}

/** Converts an IPv4-mapped IPv6 address to IPv4. Any other address stays unchanged, without the zone. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1]
  return mapped ?? address.replace(/%.*$/, '')
}

/** Creates a test for method names; a pattern may end with `*`. */
export function methodTest(patterns: readonly string[]): (method: string) => boolean {
  const names = patterns.map((pattern) => pattern.replace(/^\//, ''))
  const exact = new Set(names)
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
  return (method) => exact.has(method) || prefixes.some((prefix) => method.startsWith(prefix))
}
