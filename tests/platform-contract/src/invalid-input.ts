import { schemas } from '@fairlead/platform-client/contract'
import type { JsonSchema, Route } from '@fairlead/core'

/** Input of an operation with one invalid part. */
export interface InvalidInput<input> {
  readonly input: input
  /** The field or parameter that a response has to name. */
  readonly field: string
}

const schemaTable: Readonly<Record<string, JsonSchema>> = schemas

/** Returns the schema that a reference points to. */
export function resolved(schema: JsonSchema): JsonSchema {
  const { $ref: reference } = schema
  if (typeof reference !== 'string') return schema
  const found = schemaTable[reference.slice(reference.lastIndexOf('/') + 1)]
  if (found === undefined) throw new Error(`There is no schema ${reference}.`)
  return resolved(found)
}

/** The schemas of an object's properties by name. */
export function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  const { properties = {} } = resolved(schema)
  return properties as Readonly<Record<string, JsonSchema>>
}

/** Returns bodies that each violate one rule of the schema, derived from a valid body. */
export function invalidBodies(schema: JsonSchema, valid: object): InvalidInput<unknown>[] {
  const { required = [] } = resolved(schema)
  const values = Object.entries(propertiesOf(schema)).flatMap(([field, property]) =>
    invalidValues(property).map((value) => ({ field, input: { ...valid, [field]: value } })),
  )
  const missing = (required as readonly string[]).map((field) => ({
    field,
    input: Object.fromEntries(Object.entries(valid).filter(([name]) => name !== field)),
  }))
  const nonObjects = [[], 'text', 7, true, null].map((input) => ({ field: 'non_field_errors', input }))
  return [...values, ...missing, ...nonObjects]
}

/** Returns queries that each violate one rule of a parameter. */
export function invalidQueries(route: Route): InvalidInput<Readonly<Record<string, string>>>[] {
  return Object.entries(route.query).flatMap(([field, { schema }]) =>
    invalidValues(schema)
      // All query values are text, and an empty filter is ignored.
      .map((value) => (typeof value === 'object' ? 'nonsense' : `${value}`))
      .filter((text) => text !== '' && !(text === 'nonsense' && isFreeText(schema)))
      .map((text) => ({ field, input: { [field]: text } })),
  )
}

function isFreeText(schema: JsonSchema): boolean {
  const { type, enum: choices, pattern } = resolved(schema)
  return type === 'string' && choices === undefined && pattern === undefined
}

/** Returns values that each violate one rule of a schema. */
function invalidValues(schema: JsonSchema): (string | number | object | null)[] {
  const rules = resolved(schema)
  const types = [rules['type']].flat()
  const number = (name: string) => (typeof rules[name] === 'number' ? [rules[name]] : [])
  return [
    types.includes('object') ? 'text' : {},
    ...(types.includes('null') ? [] : [null]),
    ...(Array.isArray(rules['enum']) || !matchesPattern('?', rules) ? ['?'] : []),
    ...number('minLength').flatMap((length) => (length > 0 ? ['x'.repeat(length - 1)] : [])),
    ...number('maxLength').map((length) => 'x'.repeat(length + 1)),
    ...number('minimum').map((value) => value - 1),
    ...number('maximum').map((value) => value + 1),
    ...number('minItems').flatMap((count) => (count > 0 ? [[]] : [])),
    ...(types.includes('integer') ? [1.5] : []),
  ]
}

function matchesPattern(text: string, { pattern }: JsonSchema): boolean {
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text)
}
