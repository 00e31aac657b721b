import { describe, expect, it } from 'vitest'
import { createRuleFinder, parseCallRules } from './call-rules.ts'

const rulesOf = (text: string) => {
  const rules = parseCallRules(text)
  if (typeof rules === 'string') throw new Error(rules)
  return rules
}

describe('parseCallRules', () => {
  it('parses all kinds of rules', () => {
    const text = '/a.B/C=deny\n /a.B/*=allow /a.B/Get*=100/s  /a.B/D=20 /E/F=5/s,2 /*=3,7/s /a.*=1'
    expect(rulesOf(text)).toEqual([
      { pattern: '/a.B/C', isDenied: true },
      { pattern: '/a.B/*', isDenied: false },
      { pattern: '/a.B/Get*', isDenied: false, callsPerSecond: 100 },
      { pattern: '/a.B/D', isDenied: false, openCalls: 20 },
      { pattern: '/E/F', isDenied: false, callsPerSecond: 5, openCalls: 2 },
      { pattern: '/*', isDenied: false, callsPerSecond: 7, openCalls: 3 },
      { pattern: '/a.*', isDenied: false, openCalls: 1 },
    ])
    expect(rulesOf('')).toEqual([])
  })

  it.each([
    ['/a.B/C', 'rule 1 must begin'],
    ['/a.B/C=deny a.B/D=deny', 'rule 2 must begin'],
    ['*=deny', 'rule 1 must begin'],
    ['/a.B/*/C=deny', 'rule 1 must begin'],
    ['/a.B/G*t=deny', 'rule 1 must begin'],
    ['/a.B/C=', 'rule 1 must end'],
    ['/a.B/C=no', 'rule 1 must end'],
    ['/a.B/C=0', 'rule 1 must end'],
    ['/a.B/C=1/m', 'rule 1 must end'],
    ['/a.B/C=1,2', 'rule 1 must end'],
    ['/a.B/C=1/s,2/s', 'rule 1 must end'],
    ['/a.B/C=1,', 'rule 1 must end'],
    ['/a.B/C=deny,1', 'rule 1 must end'],
    ['/a.B/C=1 /a.B/C=2', 'rule 2 must not repeat'],
  ])('rejects %j', (text, problem) => {
    expect(parseCallRules(text)).toContain(problem)
  })
})

describe('createRuleFinder', () => {
  it.each([
    ['/geyser.Geyser/GetSlot', '/geyser.Geyser/GetSlot'],
    ['/geyser.Geyser/GetSlots', '/geyser.Geyser/Get*'],
    ['/geyser.Geyser/Ping', '/geyser.Geyser/*'],
    ['/geyser.Other/Ping', '/geyser.*'],
    ['/sui.S/Ping', '/*'],
  ])('for %s finds the rule %s', (path, pattern) => {
    const text = '/*=1 /geyser.*=1 /geyser.Geyser/*=1 /geyser.Geyser/Get*=1 /geyser.Geyser/GetSlot=1'
    const orders = [rulesOf(text), rulesOf(text.split(' ').toReversed().join(' '))]
    for (const rules of orders) expect(createRuleFinder(rules)(path)?.pattern).toBe(pattern)
  })

  it('returns undefined when no rule matches', () => {
    expect(createRuleFinder(rulesOf('/a.B/C=1'))('/a.B/D')).toBeUndefined()
  })
})
