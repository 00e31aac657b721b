import type { Json } from './specifications.ts'

/** A schema in short notation: a component name, `T[]` for a list, `{T}` for a map, `A|B` for a union. */
export function notation(schema: Json): string {
  const { $ref, type, oneOf, anyOf, allOf, items, additionalProperties } = schema
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  const union = (oneOf ?? anyOf ?? allOf) as Json[] | undefined
  if (union) return union.map(notation).join('|')
  if (type === 'array') {
    const item = notation(items as Json)
    return item.includes('|') ? `(${item})[]` : `${item}[]`
  }
  if (type === 'object') return `{${notation(additionalProperties as Json)}}`
  return String(type)
}
