import type { Json } from './bundle.ts'
import { jsonLiteral, sorted } from './json-literal.ts'
import { componentSchemas } from './openrpc-types.ts'
import { resolveReference } from './schema-references.ts'

/** The positions of addresses in a value. The generated code documents the parts. */
type Shape = true | string | readonly Shape[] | { readonly [property: string]: Shape }

/**
 * Returns the positions of addresses in the responses of an OpenAPI document, as TypeScript data: strings whose schema
 * has the format `address`, and keys of objects whose `propertyNames` have it. Undefined for a document without
 * addresses.
 *
 * @throws Error naming a property that is an address in one schema of a union and a different string in another; a
 * value does not show which of them it follows
 */
export function addressFields(document: Json): string | undefined {
  const components = Object.entries(componentSchemas(document))
  const shapes = new Map(components.map(([name, schema]) => [name, shapeOf(document, schema, name)]))
  const pruned = pruner(shapes)
  const responses: Record<string, Shape> = {}
  for (const [path, item] of Object.entries(document['paths'] as Record<string, Json>)) {
    const schemas = ['get', 'post'].flatMap((verb) =>
      responseSchemas(document, item[verb] as Json | undefined),
    )
    const shape = all(schemas.map((schema) => pruned(shapeOf(document, schema, path))))
    if (shape !== undefined) responses[path] = shape
  }
  if (Object.keys(responses).length === 0) return undefined
  const types: Record<string, Shape> = {}
  const pending = Object.values(responses)
  for (let shape = pending.pop(); shape !== undefined; shape = pending.pop()) {
    for (const name of namesIn(shape)) {
      const type = pruned(shapes.get(name))
      if (name in types || type === undefined) continue
      types[name] = type
      pending.push(type)
    }
  }
  return `/**
 * The positions of addresses in a value. \`true\`: the value is an address. A string: the name of a type. A list: all of
 * its members apply. An object: the positions by property; \`*\` is any other property, and \`@\` are the keys. For an
 * array, the positions in its items.
 */
export type AddressShape =
  | true
  | string
  | readonly AddressShape[]
  | { readonly [property: string]: AddressShape }

/** The positions of addresses in types, by name. */
export const addressTypes: Readonly<Record<string, AddressShape>> = ${jsonLiteral(sorted(types))}

/** The positions of addresses in responses, by path. */
export const addressResponses: Readonly<Record<string, AddressShape>> = ${jsonLiteral(sorted(responses))}
`
}

function responseSchemas(document: Json, operation: Json | undefined): readonly Json[] {
  const { 200: ok } = (operation?.['responses'] ?? {}) as Record<string, Json>
  const { content } = (ok ? resolveReference(document, ok) : {}) as { content?: Record<string, Json> }
  const schema = content?.['application/json']?.['schema']
  return schema ? [schema as Json] : []
}

// `location` is the component or path that contains the schema.
function shapeOf(document: Json, schema: Json, location: string): Shape | undefined {
  const { $ref, format, items, additionalProperties, propertyNames } = schema
  if (typeof $ref === 'string') return nameOf($ref)
  if (format === 'address') return true
  requireUnambiguous(document, schema, location)
  const keys = resolveReference(document, (propertyNames ?? {}) as Json)['format'] === 'address'
  const properties = {
    ...(keys && { '@': { format: 'address' } }),
    ...(typeof additionalProperties === 'object' && { '*': additionalProperties as Json }),
    ...(schema['properties'] as Record<string, Json> | undefined),
  }
  const entries = Object.entries(properties).flatMap(([name, property]) => {
    const shape = shapeOf(document, property, location)
    return shape === undefined ? [] : [[name, shape] as const]
  })
  return all([
    entries.length > 0 ? Object.fromEntries(entries) : undefined,
    ...(typeof items === 'object' ? [shapeOf(document, items as Json, location)] : []),
    ...partsOf(schema).map((part) => shapeOf(document, part, location)),
  ])
}

function partsOf({ oneOf, anyOf, allOf }: Json): readonly Json[] {
  return [oneOf, anyOf, allOf].flatMap((parts) => (parts ?? []) as Json[])
}

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

// A single shape needs no list around it.
function all(shapes: readonly (Shape | undefined)[]): Shape | undefined {
  const found = new Map(
    shapes.flatMap((shape) => (shape === undefined ? [] : [[JSON.stringify(shape), shape]])),
  )
  return found.size > 1 ? [...found.values()] : found.values().next().value
}

/**
 * Creates a function that removes from a shape the types in which no address is reachable, and the names of plain
 * addresses.
 */
function pruner(
  shapes: ReadonlyMap<string, Shape | undefined>,
): (shape: Shape | undefined) => Shape | undefined {
  const withAddresses = new Set<string>()
  const pruned = (shape: Shape | undefined): Shape | undefined => {
    if (shape === undefined || shape === true) return shape
    if (typeof shape === 'string')
      return shapes.get(shape) === true || (withAddresses.has(shape) ? shape : undefined)
    if (Array.isArray(shape)) return all(shape.map(pruned))
    const entries = Object.entries(shape).flatMap(([name, property]) => {
      const prunedShape = pruned(property)
      return prunedShape === undefined ? [] : [[name, prunedShape] as const]
    })
    return entries.length > 0 ? Object.fromEntries(entries) : undefined
  }
  // Types may reference each other in cycles, so this repeats until it finds no further type.
  for (let before = -1; before < withAddresses.size;) {
    before = withAddresses.size
    for (const [name, shape] of shapes) if (pruned(shape) !== undefined) withAddresses.add(name)
  }
  return pruned
}

function namesIn(shape: Shape): readonly string[] {
  if (shape === true) return []
  if (typeof shape === 'string') return [shape]
  return Object.values(shape).flatMap(namesIn)
}

function requireUnambiguous(document: Json, schema: Json, location: string): void {
  const meanings = new Map<string, boolean>()
  const seen = new Set<Json>()
  const visit = (part: Json): void => {
    const resolved = resolveReference(document, part)
    if (seen.has(resolved)) return
    seen.add(resolved)
    for (const member of partsOf(resolved)) visit(member)
    for (const [property, child] of Object.entries((resolved['properties'] ?? {}) as Record<string, Json>)) {
      const isAddress = isAddressText(document, child)
      if (isAddress === undefined) continue
      if (isAddress !== (meanings.get(property) ?? isAddress))
        throw new Error(
          `${location}.${property} is an address in one schema of a union and a different string in another`,
        )
      meanings.set(property, isAddress)
    }
  }
  visit(schema)
}

// Undefined for a schema that is not a string.
function isAddressText(document: Json, schema: Json): boolean | undefined {
  const resolved = resolveReference(document, schema)
  const { type, format } = resolved
  if (type === 'string' || (Array.isArray(type) && type.includes('string'))) return format === 'address'
  const found = partsOf(resolved).map((part) => isAddressText(document, part))
  return found.includes(true) ? true : found.find((part) => part !== undefined)
}
