import type { JsonSchema } from '@fairlead/core'
import * as fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { propertiesOf, resolved } from './wrong-input.ts'

/** What stands for a secret in generated input; it must come up nowhere. */
export const canary = 'canary-4d1f'

const strangeTexts = [
  '',
  ' ',
  canary,
  'null',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '\u202e\u200b\ufeff',
  'Ａｄｍｉｎ',
  'e\u0301'.repeat(40),
  '👩‍👩‍👧'.repeat(20),
  '\r\nSet-Cookie: a=b',
  "'; drop table users; --",
  '%',
  '_',
  '\\',
  '$1',
  '{{7*7}}',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '=1+1',
  'x'.repeat(100),
  'x'.repeat(101),
  'ü'.repeat(1_000),
  'x'.repeat(20_000),
]

const strangeNumbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  1e21,
  -1e308,
  5e-324,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
]

const strangeTimes = [
  '2999-01-01T00:00:00Z',
  '2000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
  '+275760-09-13T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2999-01-01T00:00:00+14:00',
  '2026-13-01',
  'infinity',
  'now',
]

/** Text of any kind, often of a kind that somebody has stumbled over. */
export const wildText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...strangeTexts, ...strangeTimes),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ maxLength: 200 }),
)

/** Any JSON value. */
export const wildValue: Arbitrary<unknown> = fc.oneof(
  wildText,
  fc.constantFrom<unknown>(null, true, false, [], {}, [null], ...strangeNumbers),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'toString', '', 'id', 'name'), fc.jsonValue()),
)

/**
 * Values that follow a schema.
 *
 * @param texts - values for properties by name, for those that a schema says too little of
 */
export function validValue(
  schema: JsonSchema,
  texts: Readonly<Record<string, Arbitrary<unknown>>> = {},
): Arbitrary<unknown> {
  const rules = resolved(schema)
  if (Array.isArray(rules['enum'])) return fc.constantFrom<unknown>(...(rules['enum'] as unknown[]))
  const types = [rules['type']].flat()
  return fc.oneof(...types.map((type) => ofType(type, rules, texts)))
}

/** Values that break a schema in one place, or are anything at all. */
export function brokenValue(
  schema: JsonSchema,
  texts: Readonly<Record<string, Arbitrary<unknown>>> = {},
): Arbitrary<unknown> {
  const names = Object.keys(propertiesOf(schema))
  const name = names.length === 0 ? wildText : fc.oneof(fc.constantFrom(...names), wildText)
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(validValue(schema, texts), name, wildValue).map(replaced) },
    { weight: 1, arbitrary: wildValue },
  )
}

function replaced([value, name, other]: readonly [unknown, string, unknown]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return other
  return { ...value, [name]: other }
}

function ofType(
  type: unknown,
  rules: JsonSchema,
  texts: Readonly<Record<string, Arbitrary<unknown>>>,
): Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: bound(rules, 'minimum', -(2 ** 31)), max: bound(rules, 'maximum', 2 ** 31) })
    case 'array':
      return fc.array(validValue((rules['items'] ?? {}) as JsonSchema, texts), {
        minLength: bound(rules, 'minItems', 0),
        maxLength: 4,
      })
    case 'object':
      return ofObject(rules, texts)
    default:
      return ofString(rules)
  }
}

function ofObject(
  rules: JsonSchema,
  texts: Readonly<Record<string, Arbitrary<unknown>>>,
): Arbitrary<unknown> {
  const { required = [], additionalProperties } = rules
  const properties = propertiesOf(rules)
  const values = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, texts[name] ?? validValue(property, texts)]),
  )
  if (Object.keys(values).length === 0 && typeof additionalProperties === 'object') {
    const value = validValue(additionalProperties as JsonSchema, texts)
    return fc.dictionary(fc.oneof(fc.constantFrom('eth_call', 'debug_*', '*'), wildText), value, {
      maxKeys: 4,
    })
  }
  const requiredKeys = (required as readonly string[]).filter((name) => Object.hasOwn(values, name))
  return fc.record(values, { requiredKeys: [...requiredKeys] })
}

function ofString(rules: JsonSchema): Arbitrary<string> {
  if (rules['format'] === 'date-time') return fc.constantFrom(...strangeTimes)
  const { pattern } = rules
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 60 })
  const minLength = bound(rules, 'minLength', 0)
  const maxLength = Math.min(bound(rules, 'maxLength', 60), 200)
  return fc.oneof(
    fc.string({ minLength, maxLength }),
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.floor(maxLength / 4)) }),
  )
}

function bound(rules: JsonSchema, name: string, otherwise: number): number {
  return typeof rules[name] === 'number' ? rules[name] : otherwise
}
