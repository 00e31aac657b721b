import type { JsonSchema } from '@fairlead/core'
import { schemas } from '@fairlead/platform-client/contract'
import { counted } from './violations.ts'

/** A validation error of one value of the input. */
export interface BoundaryError {
  /** Names of the members that lead to the value. */
  readonly path: readonly string[]
  readonly message: string
}

// The database stores text as UTF-8 without U+0000, so it accepts neither that character nor an unpaired surrogate.
const unstorableText = /\0|\p{Surrogate}/u
const unstorable = 'Must not contain the character U+0000 or an unpaired surrogate.'

/**
 * Finds values above the maximum sizes of the contract, and text that cannot be stored.
 *
 * Does not look into a value that is too large, so that the contract limits the work and the number of errors, whatever
 * the size of the input. Ignores members that the contract does not define, because they have no effect.
 */
export function boundaryErrors(
  value: unknown,
  schema: JsonSchema,
  path: readonly string[] = [],
): readonly BoundaryError[] {
  const rules: Rules = resolved(schema)
  const types = [rules.type].flat()
  if (typeof value === 'string') return types.includes('string') ? ofText(value, rules, path) : []
  if (Array.isArray(value)) return types.includes('array') ? ofArray(value, rules, path) : []
  if (typeof value !== 'object' || value === null || !types.includes('object')) return []
  return ofObject(value, rules, path)
}

/** The keywords of a schema that limit sizes or lead to other schemas. */
interface Rules {
  readonly type?: string | readonly string[]
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly propertyNames?: Rules
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
}

type Errors = readonly BoundaryError[]
type Path = readonly string[]

function ofText(text: string, { maxLength }: Rules, path: Path): Errors {
  if (maxLength !== undefined && isLongerThan(text, maxLength)) {
    return [{ path, message: `Must be a string of at most ${counted(maxLength, 'character')}.` }]
  }
  return unstorableText.test(text) ? [{ path, message: unstorable }] : []
}

function ofArray(values: readonly unknown[], { maxItems = Infinity, items }: Rules, path: Path): Errors {
  if (values.length > maxItems) {
    return [{ path, message: `Must have at most ${counted(maxItems, 'item')}.` }]
  }
  if (items === undefined) return []
  return values.flatMap((item, at) => boundaryErrors(item, items, [...path, String(at)]))
}

function ofObject(value: object, rules: Rules, path: Path): Errors {
  const { properties = {}, additionalProperties } = rules
  const known = Object.entries(properties).flatMap(([name, schema]) =>
    Object.hasOwn(value, name) ? boundaryErrors(memberOf(value, name), schema, [...path, name]) : [],
  )
  if (typeof additionalProperties !== 'object') return known
  return [...known, ...ofMap(value, { ...rules, additionalProperties }, path)]
}

function ofMap(
  value: object,
  {
    maxProperties = Infinity,
    propertyNames = {},
    additionalProperties,
  }: Rules & { readonly additionalProperties: JsonSchema },
  path: Path,
): Errors {
  const names = Object.keys(value)
  if (names.length > maxProperties) {
    return [{ path, message: `Must have at most ${counted(maxProperties, 'member')}.` }]
  }
  // The error has the path of the map, because the name itself is invalid.
  const ofNames = names.flatMap((name) => ofText(name, propertyNames, path))
  if (ofNames.length > 0)
    return ofNames.slice(0, 1).map(({ message }) => ({ path, message: `Names of members: ${message}` }))
  return names.flatMap((name) => boundaryErrors(memberOf(value, name), additionalProperties, [...path, name]))
}

function memberOf(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name]
}

/** Whether a text has more characters than a maximum; a character outside of the BMP counts as one. */
function isLongerThan(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false
  return text.length > 2 * maxLength || Array.from(text).length > maxLength
}

/** Resolves a schema reference. */
function resolved(schema: JsonSchema): JsonSchema {
  const reference = schema['$ref']
  if (typeof reference !== 'string') return schema
  const name = reference.split('/').at(-1) ?? ''
  return (schemas as Readonly<Record<string, JsonSchema>>)[name] ?? {}
}
