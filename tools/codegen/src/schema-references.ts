import type { Json } from './bundle.ts'

// Text for people adds bytes and is of no use to a validator.
const proseKeys = new Set([
  'title',
  'description',
  'summary',
  'example',
  'examples',
  'externalDocs',
  'deprecated',
])

// Below these, a key is a name, which may equal a keyword such as `description`.
const mapKeys = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])

// These hold wire values, whatever their form.
const valueKeys = new Set(['const', 'enum', 'default'])

/**
 * Returns the schema as a validator needs it: without prose, and with references that name the document to which they
 * point.
 *
 * @param schema - a schema of the bundled document
 * @param documentName - `$id` under which the components are registered
 */
export function contractSchema(schema: unknown, documentName: string): Json {
  return convert(schema, documentName, false) as Json
}

function convert(value: unknown, documentName: string, isMap: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, documentName, false))
  if (typeof value !== 'object' || value === null) return value
  const entries: [string, unknown][] = []
  for (const [key, item] of Object.entries(value)) {
    if (!isMap && (proseKeys.has(key) || key.startsWith('x-'))) continue
    if (!isMap && key === '$ref' && typeof item === 'string')
      entries.push([key, item.replace(/^#/, `${documentName}#`)])
    else if (!isMap && valueKeys.has(key)) entries.push([key, item])
    else entries.push([key, convert(item, documentName, !isMap && mapKeys.has(key))])
  }
  return isMap ? Object.fromEntries(entries) : unwrapped(Object.fromEntries(entries))
}

// A reference that had prose next to it is the only item of an `allOf`.
function unwrapped(schema: Json): unknown {
  const { allOf, ...others } = schema
  return Array.isArray(allOf) && allOf.length === 1 && Object.keys(others).length === 0 ? allOf[0] : schema
}

/**
 * Resolves a reference inside the bundled document.
 *
 * @throws Error when the target does not exist
 */
export function resolveReference<value extends Json>(document: Json, value: value | { $ref: string }): value {
  const reference = value['$ref']
  if (typeof reference !== 'string') return value as value
  const target = reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (node, key) => (node as Json | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    )
  if (target === undefined) throw new Error(`${reference} leads nowhere`)
  return resolveReference(document, target as value)
}
