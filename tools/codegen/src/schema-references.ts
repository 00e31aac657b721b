import type { Json } from './bundle.ts'

// Words for people cost bytes and are of no use to a validator.
const proseKeys = new Set(['description', 'summary', 'example', 'examples', 'externalDocs', 'deprecated'])

/**
 * The schema as a validator needs it: without prose, and with references that name the document they point into.
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
    // Below `properties` a key is the name of a field, which may well be `description`.
    if (!isMap && (proseKeys.has(key) || key.startsWith('x-'))) continue
    if (!isMap && key === '$ref' && typeof item === 'string') entries.push([key, item.replace(/^#/, `${documentName}#`)])
    else entries.push([key, convert(item, documentName, !isMap && (key === 'properties' || key === '$defs'))])
  }
  return Object.fromEntries(entries)
}

/** Follows a reference inside the bundled document. */
export function resolveReference<value extends Json>(document: Json, value: value | { $ref: string }): value {
  const reference = value['$ref']
  if (typeof reference !== 'string') return value as value
  const target = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Json)[key.replaceAll('~1', '/').replaceAll('~0', '~')], document)
  return resolveReference(document, target as value)
}
