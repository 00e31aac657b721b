import { type JsonSchema, resolveSchema, type Schemas } from './json-schema.ts'

// Deeper than is readable; it also terminates recursive schemas.
const maxDepth = 6

/**
 * A value that is valid for a schema: one of its examples, or one composed of its parts.
 *
 * @param schema - schema of the value
 * @param schemas - targets of its references
 */
export function exampleOf(schema: JsonSchema, schemas: Schemas): unknown {
  return example(schema, schemas, 0)
}

function example(unresolved: JsonSchema, schemas: Schemas, depth: number): unknown {
  const { schema } = resolveSchema(unresolved, schemas)
  if (schema.examples && schema.examples.length > 0) return schema.examples[0]
  if ('example' in schema) return schema.example
  if ('const' in schema) return schema.const
  if ('default' in schema) return schema.default
  if (schema.enum) return schema.enum[0]
  const [alternative] = schema.oneOf ?? schema.anyOf ?? []
  if (alternative) return example(alternative, schemas, depth)
  return composed(schema, schemas, depth)
}

function composed(schema: JsonSchema, schemas: Schemas, depth: number): unknown {
  const { properties = {}, required = [], items, prefixItems } = schema
  switch (typeof schema.type === 'string' ? schema.type : (schema.type?.[0] ?? 'object')) {
    case 'string':
      return schema.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'text'
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    case 'boolean':
      return false
    case 'null':
      return null
    case 'array':
      if (depth >= maxDepth) return []
      if (prefixItems) return prefixItems.map((item) => example(item, schemas, depth + 1))
      return items ? [example(items, schemas, depth + 1)] : []
    default:
      return Object.fromEntries(
        Object.entries(properties)
          .filter(([name]) => depth < maxDepth && required.includes(name))
          .map(([name, part]) => [name, example(part, schemas, depth + 1)]),
      )
  }
}
