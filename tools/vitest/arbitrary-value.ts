import * as fc from 'fast-check'
import type { Arbitrary } from 'fast-check'

type JsonSchema = Readonly<Record<string, unknown>>
type Arbitraries = Readonly<Record<string, Arbitrary<unknown>>>

/** A marker for secrets in generated input, which must not appear anywhere else. */
export const canary = 'canary-4d1f'

const edgeCaseTexts = [
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

const edgeCaseNumbers = [
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

const edgeCaseTimes = [
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

/** Arbitrary text, often a known edge case. */
export const arbitraryText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...edgeCaseTexts, ...edgeCaseTimes),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ maxLength: 200 }),
)

/** Any JSON value. */
export const arbitraryJson: Arbitrary<unknown> = fc.oneof(
  arbitraryText,
  fc.constantFrom<unknown>(null, true, false, [], {}, [null], ...edgeCaseNumbers),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'toString', '', 'id', 'name'), fc.jsonValue()),
)

/** Generates JSON values from the schemas of a document. */
export class SchemaValues {
  readonly #schemas: Readonly<Record<string, JsonSchema>>
  readonly #components: Arbitraries

  /**
   * @param schemas - components of the document by name
   * @param components - values of components by name, for those whose schema is too general
   */
  constructor(schemas: Readonly<Record<string, JsonSchema>>, components: Arbitraries = {}) {
    this.#schemas = schemas
    this.#components = components
  }

  /**
   * Generates values that match a schema.
   *
   * @param properties - values of properties by name, for those whose schema is too general
   */
  valid(schema: JsonSchema, properties: Arbitraries = {}): Arbitrary<unknown> {
    const component = this.#components[nameOf(schema)]
    if (component !== undefined) return component
    const rules = this.#resolved(schema)
    if ('const' in rules) return fc.constant(rules['const'])
    if (Array.isArray(rules['enum'])) return fc.constantFrom<unknown>(...(rules['enum'] as unknown[]))
    const alternatives = (rules['oneOf'] ?? rules['anyOf']) as readonly JsonSchema[] | undefined
    if (alternatives)
      return fc.oneof(...alternatives.map((alternative) => this.valid(alternative, properties)))
    const parts = rules['allOf'] as readonly JsonSchema[] | undefined
    if (parts) return this.#ofAll(parts, properties)
    const types = [rules['type'] ?? (rules['properties'] ? 'object' : 'string')].flat()
    return fc.oneof(...types.map((type) => this.#ofType(type, rules, properties)))
  }

  /** Generates values that violate a schema in one place, or are arbitrary. */
  broken(schema: JsonSchema, properties: Arbitraries = {}): Arbitrary<unknown> {
    const names = Object.keys(this.#resolved(schema)['properties'] ?? {})
    const name = names.length === 0 ? arbitraryText : fc.oneof(fc.constantFrom(...names), arbitraryText)
    return fc.oneof(
      { weight: 4, arbitrary: fc.tuple(this.valid(schema, properties), name, arbitraryJson).map(replaced) },
      { weight: 1, arbitrary: arbitraryJson },
    )
  }

  #resolved(schema: JsonSchema): JsonSchema {
    const name = nameOf(schema)
    if (name === '') return schema
    const found = this.#schemas[name]
    if (found === undefined) throw new Error(`There is no schema ${name}.`)
    return this.#resolved(found)
  }

  #ofAll(parts: readonly JsonSchema[], properties: Arbitraries): Arbitrary<unknown> {
    const [first = fc.constant(null), ...rest] = parts.map((part) => this.valid(part, properties))
    if (rest.length === 0) return first
    return fc.tuple(first, ...rest).map((values) => Object.assign({}, ...values) as unknown)
  }

  #ofType(type: unknown, rules: JsonSchema, properties: Arbitraries): Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'integer':
        return fc.integer({
          min: bound(rules, 'minimum', -(2 ** 31)),
          max: bound(rules, 'maximum', 2 ** 31),
        })
      case 'number':
        return fc.double({
          min: bound(rules, 'minimum', -1e9),
          max: bound(rules, 'maximum', 1e9),
          noNaN: true,
        })
      case 'array':
        return this.#ofArray(rules, properties)
      case 'object':
        return this.#ofObject(rules, properties)
      default:
        return ofString(rules)
    }
  }

  #ofArray(rules: JsonSchema, properties: Arbitraries): Arbitrary<unknown> {
    const prefix = rules['prefixItems'] as readonly JsonSchema[] | undefined
    if (prefix) return fc.tuple(...prefix.map((item) => this.valid(item, properties)))
    return fc.array(this.valid((rules['items'] ?? {}) as JsonSchema, properties), {
      minLength: bound(rules, 'minItems', 0),
      maxLength: Math.min(bound(rules, 'maxItems', 4), 4),
    })
  }

  #ofObject(rules: JsonSchema, properties: Arbitraries): Arbitrary<unknown> {
    const { required = [], additionalProperties, propertyNames } = rules
    const declared = (rules['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
    const values = Object.fromEntries(
      Object.entries(declared).map(([name, property]) => [
        name,
        properties[name] ?? this.valid(property, properties),
      ]),
    )
    if (Object.keys(values).length === 0 && typeof additionalProperties === 'object') {
      const value = this.valid(additionalProperties as JsonSchema, properties)
      const key = propertyNames
        ? this.valid(propertyNames as JsonSchema, properties).map(String)
        : fc.oneof(fc.constantFrom('eth_call', 'debug_*', '*'), arbitraryText)
      return fc.dictionary(key, value, { maxKeys: 4 })
    }
    const requiredKeys = (required as readonly string[]).filter((name) => Object.hasOwn(values, name))
    return fc.record(values, { requiredKeys: [...requiredKeys] })
  }
}

// The name of the component that a schema references. Empty for an inline schema.
function nameOf({ $ref: reference }: JsonSchema): string {
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : ''
}

function replaced([value, name, replacement]: readonly [unknown, string, unknown]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return replacement
  return { ...value, [name]: replacement }
}

function ofString(rules: JsonSchema): Arbitrary<string> {
  if (rules['format'] === 'date-time') return fc.constantFrom(...edgeCaseTimes)
  const { pattern } = rules
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern, 'u'))
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
