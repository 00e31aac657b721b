/**
 * Requires a maximum size for every part of a request: `maxLength` of a string, `maxItems` of an array, `maxProperties`
 * of a map and `maxLength` of its names. Otherwise a client determines how long the validation of its request takes.
 */
// oxlint-disable-next-line import/no-default-export -- Redocly loads the default export of a plugin
export default function boundedInput() {
  const rule = () => ({ Parameter: { Schema: checkSchema }, RequestBody: { Schema: checkSchema } })
  return { id: 'bounded-input', rules: { oas3: { 'request-sizes': rule } } }
}

function checkSchema(schema, context) {
  const visited = new Set()
  const check = (reference, from) => {
    const { node, location } = resolved(reference, from, context)
    if (visited.has(node)) return
    visited.add(node)
    for (const keyword of missingMaximums(node)) {
      context.report({ message: `A schema of a request must have \`${keyword}\`.`, location })
    }
    for (const [path, child] of subschemas(node)) check(child, location.child(path))
  }
  check(schema, context.location)
}

function resolved(schema, from, context) {
  if (schema.$ref === undefined) return { node: schema, location: from }
  const { node, location } = context.resolve(schema, from.absolutePointer)
  // Keywords next to a reference apply too.
  return { node: { ...node, ...schema, $ref: undefined }, location }
}

function missingMaximums(schema) {
  const types = [schema.type].flat()
  const isFixed = schema.enum !== undefined || schema.const !== undefined
  const missing = {
    maxLength: types.includes('string') && !isFixed && schema.maxLength === undefined,
    maxItems: types.includes('array') && schema.maxItems === undefined,
    maxProperties: isMap(schema) && schema.maxProperties === undefined,
    'propertyNames.maxLength': isMap(schema) && schema.propertyNames?.maxLength === undefined,
  }
  return Object.keys(missing).filter((keyword) => missing[keyword])
}

function isMap({ additionalProperties: additional }) {
  return additional === true || typeof additional === 'object'
}

function subschemas(schema) {
  const inMaps = ['properties', 'patternProperties'].flatMap((keyword) =>
    Object.entries(schema[keyword] ?? {}).map(([name, child]) => [[keyword, name], child]),
  )
  const inLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'].flatMap((keyword) =>
    (schema[keyword] ?? []).map((child, at) => [[keyword, at], child]),
  )
  const single = ['items', 'additionalProperties'].flatMap((keyword) =>
    typeof schema[keyword] === 'object' ? [[[keyword], schema[keyword]]] : [],
  )
  return [...inMaps, ...inLists, ...single]
}
