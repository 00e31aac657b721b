import type { JsonSchema } from '@fairlead/core'

/** The input for a value. */
export type FieldModel =
  | { readonly kind: 'text'; readonly suggestions: readonly string[] }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  /** Several texts or numbers, one per line. */
  | { readonly kind: 'list'; readonly item: 'text' | 'number' }
  | { readonly kind: 'group'; readonly fields: readonly Field[] }
  /** Any other value, written as JSON. */
  | { readonly kind: 'json' }

/** A value of a call. */
export interface Field {
  readonly name: string
  readonly isRequired: boolean
  /** The default value, as it would be entered. */
  readonly fallback: string
  readonly model: FieldModel
}

/** Schemas of a contract by name, for references. */
export type Schemas = Readonly<Record<string, JsonSchema>>

// Deeper objects are easier to write as JSON.
const maxGroupDepth = 2
const json: FieldModel = { kind: 'json' }

/**
 * Creates the field of a value.
 *
 * @param name - of the parameter or property
 * @param isRequired - whether a call requires it
 * @param schema - schema of the value
 * @param schemas - schemas that it references
 */
export function fieldOf(
  name: string,
  isRequired: boolean,
  schema: JsonSchema,
  schemas: Schemas,
  depth = 0,
): Field {
  const fallback = schema['default']
  return {
    name,
    isRequired,
    fallback:
      fallback === undefined ? '' : typeof fallback === 'string' ? fallback : JSON.stringify(fallback),
    model: modelOf(schema, schemas, depth),
  }
}

function modelOf(unresolved: JsonSchema, schemas: Schemas, depth: number): FieldModel {
  const schema = resolve(unresolved, schemas)
  const alternatives = listOf(schema['oneOf'] ?? schema['anyOf'])
  if (alternatives.length > 0) return modelOfAlternatives(alternatives, schemas, depth)
  const parts = listOf(schema['allOf'])
  if (parts.length === 1 && parts[0]) return modelOf(parts[0], schemas, depth)
  if (parts.length > 1) return groupOf(parts, schemas, depth)
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']]
  if (Array.isArray(values))
    return values.every((value) => typeof value === 'string') ? { kind: 'choice', values } : json
  switch (typeOf(schema)) {
    case 'string':
      return { kind: 'text', suggestions: [] }
    case 'integer':
    case 'number':
      return { kind: 'number' }
    case 'boolean':
      return { kind: 'boolean' }
    case 'array':
      return listModel(schema['items'], schemas, depth)
    case 'object':
      return groupOf([schema], schemas, depth)
    default:
      return json
  }
}

function modelOfAlternatives(unresolved: readonly JsonSchema[], schemas: Schemas, depth: number): FieldModel {
  const alternatives = unresolved
    .map((alternative) => resolve(alternative, schemas))
    .filter((alternative) => typeOf(alternative) !== 'null')
  if (alternatives.length === 1 && alternatives[0]) return modelOf(alternatives[0], schemas, depth)
  // For example a block range or a block hash: the properties of all alternatives.
  if (alternatives.every((alternative) => 'properties' in alternative))
    return groupOf(alternatives, schemas, depth)
  const models = alternatives.map((alternative) => modelOf(alternative, schemas, depth + 1))
  const texts = models.filter(({ kind }) => kind === 'text' || kind === 'choice')
  if (texts.length === 0) return json
  return { kind: 'text', suggestions: [...new Set(texts.flatMap(suggestionsOf))] }
}

function suggestionsOf(model: FieldModel): readonly string[] {
  if (model.kind === 'choice') return model.values
  return model.kind === 'text' ? model.suggestions : []
}

function listModel(items: unknown, schemas: Schemas, depth: number): FieldModel {
  if (!isSchema(items)) return json
  const { kind } = modelOf(items, schemas, depth + 1)
  if (kind === 'text' || kind === 'choice') return { kind: 'list', item: 'text' }
  return kind === 'number' ? { kind: 'list', item: 'number' } : json
}

/** The properties of all parts; a property is required when every part has it and requires it. */
function groupOf(unresolved: readonly JsonSchema[], schemas: Schemas, depth: number): FieldModel {
  const parts = unresolved.map((part) => resolve(part, schemas))
  if (depth >= maxGroupDepth || !parts.every((part) => isSchema(part['properties']))) return json
  const fields = new Map<string, Field>()
  for (const part of parts) {
    for (const [name, schema] of Object.entries(part['properties'] ?? {})) {
      const isRequired = parts.every((member) => listOfTexts(member['required']).includes(name))
      if (isSchema(schema)) fields.set(name, fieldOf(name, isRequired, schema, schemas, depth + 1))
    }
  }
  return fields.size === 0 ? json : { kind: 'group', fields: [...fields.values()] }
}

function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const reference = schema['$ref']
  if (typeof reference !== 'string') return schema
  const target = schemas[reference.slice(reference.lastIndexOf('/') + 1)]
  return target ? resolve(target, schemas) : {}
}

function typeOf(schema: JsonSchema): unknown {
  const type = schema['type']
  return Array.isArray(type) ? type.find((candidate) => candidate !== 'null') : type
}

function listOf(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : []
}

function listOfTexts(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}
