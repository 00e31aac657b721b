import { expect, it } from 'vitest'
import type { AccessRule, RuleKind } from '../grants/access-rule.ts'
import { rulesOf } from './access-rules.ts'
import { grantWith } from '../testing/limited-grant.ts'

/** `+value` allows, `-value` denies. */
function rules(kind: RuleKind, texts: readonly string[]): AccessRule[] {
  return texts.map((text) => ({
    kind,
    value: text.slice(1),
    action: text.startsWith('+') ? 'allow' : 'deny',
  }))
}

function visitorPasses(accessRules: AccessRule[], requester: { address?: string; origin?: string }): unknown {
  const { address = '192.0.2.7', origin } = requester
  const rejection = rulesOf(grantWith({ accessRules }))?.requester({ address, origin })
  return rejection === undefined ? true : rejection.data
}

it.each<[rules: string[], origin: string | undefined, passes: boolean]>([
  [['+https://app.example'], 'https://app.example', true],
  [['+https://app.example'], 'https://APP.example', true],
  [['+https://app.example'], 'http://app.example', false],
  [['+https://app.example'], 'https://app.example:8443', false],
  [['+https://app.example'], 'https://app.example.evil.test', false],
  [['+https://app.example'], undefined, false],
  [['+https://app.example'], 'null', false],
  [['+app.example'], 'http://app.example:3000', true],
  [['+app.example'], 'http://notapp.example', false],
  [['+*.example'], 'https://a.b.example', true],
  [['+*.app.example'], 'https://app.example', false],
  [['+*.app.example'], 'https://evilapp.example', false],
  [['+https://a.example', '+https://b.example'], 'https://b.example', true],
  [['-https://evil.test'], 'https://app.example', true],
  [['-https://evil.test'], 'https://evil.test', false],
  [['-https://evil.test'], undefined, false],
  [['+*.example', '-bad.example'], 'https://bad.example', false],
  [['+*.example', '-bad.example'], 'https://good.example', true],
])('with the rules %j the origin %s passes: %s', (texts, origin, passes) => {
  const expected = passes ? true : { rule: 'origin' }
  expect(visitorPasses(rules('origin', texts), origin === undefined ? {} : { origin })).toEqual(expected)
})

it.each<[rules: string[], address: string, passes: boolean]>([
  [['+192.0.2.7'], '192.0.2.7', true],
  [['+192.0.2.7'], '192.0.2.8', false],
  [['+192.0.2.7'], '::ffff:192.0.2.7', true],
  [['+::ffff:192.0.2.7'], '192.0.2.7', true],
  [['+::ffff:192.0.2.0/120'], '192.0.2.200', true],
  [['+192.0.2.0/24'], '192.0.2.255', true],
  [['+192.0.2.0/24'], '192.0.3.0', false],
  [['-192.0.2.0/24'], '192.0.2.9', false],
  [['-192.0.2.0/24'], '198.51.100.1', true],
  [['+10.0.0.0/8', '-10.1.0.0/16'], '10.1.2.3', false],
  [['+10.0.0.0/8', '-10.1.0.0/16'], '10.2.2.3', true],
  [['+2001:db8::/32'], '2001:db8:1::5', true],
  [['+2001:db8::/32'], '2001:db9::5', false],
  [['+2001:db8::5'], '2001:DB8:0::0005', true],
  [['+0.0.0.0/0'], '203.0.113.9', true],
  [['+0.0.0.0/0'], '2001:db8::1', false],
  [['+192.0.2.7/33'], '192.0.2.7', false],
  [['+nonsense'], '192.0.2.7', false],
  [['+192.0.2.7'], '', false],
])('with the rules %j the address %s passes: %s', (texts, address, passes) => {
  expect(visitorPasses(rules('ip', texts), { address })).toEqual(passes ? true : { rule: 'ip' })
})

it.each<[rules: string[], method: string, passes: boolean]>([
  [['-debug_*'], 'debug_traceCall', false],
  [['-debug_*'], 'eth_call', true],
  [['+eth_*', '-eth_sendRawTransaction'], 'eth_sendRawTransaction', false],
  [['+eth_*', '-eth_sendRawTransaction'], 'eth_call', true],
  [['+eth_*'], 'net_version', false],
  [['+eth_call'], 'eth_callMany', false],
  [['+/geyser.Geyser/*'], 'geyser.Geyser/Subscribe', true],
  [['-geyser.Geyser/Subscribe'], 'geyser.Geyser/Subscribe', false],
  [['+*'], 'anything', true],
])('with the rules %j the method %s passes: %s', (texts, method, passes) => {
  const rejection = rulesOf(grantWith({ accessRules: rules('method', texts) }))?.method(method)
  expect(rejection?.data).toEqual(passes ? undefined : { rule: 'method' })
})

it('requires every kind that has rules to pass, and skips kinds without rules', () => {
  const both = [...rules('origin', ['+https://a.example']), ...rules('ip', ['+192.0.2.7'])]
  expect(visitorPasses(both, { origin: 'https://a.example' })).toBe(true)
  expect(visitorPasses(both, { origin: 'https://a.example', address: '192.0.2.8' })).toEqual({ rule: 'ip' })
  expect(visitorPasses(both, { address: '192.0.2.7' })).toEqual({ rule: 'origin' })
  expect(visitorPasses(rules('method', ['+eth_call']), {})).toBe(true)
  expect(rulesOf(grantWith())).toBeUndefined()
})
