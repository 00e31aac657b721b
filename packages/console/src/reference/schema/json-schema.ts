/** A schema of a document; keys are those of JSON Schema 2020-12. */
export interface JsonSchema {
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly example?: unknown
  readonly examples?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly items?: JsonSchema | false
  readonly prefixItems?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly propertyNames?: JsonSchema
  readonly allOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  /** Number of a field or of a value of an enum in a proto file. */
  readonly 'x-number'?: number
  /** Fields of a message of which at most one is set. */
  readonly 'x-oneof'?: string
}

/** The named schemas of a document. */
export type Schemas = Readonly<Record<string, JsonSchema>>

const anySchema: JsonSchema = {}

/** A schema with resolved references. */
export interface ResolvedSchema {
  /** Name of the schema, if it has one. */
  readonly name: string | undefined
  readonly schema: JsonSchema
}

/**
 * Resolves the reference of a schema and merges its composition; keys next to a reference take precedence.
 *
 * @throws Error when the target of a reference does not exist, or is the reference itself
 */
export function resolveSchema(schema: JsonSchema, schemas: Schemas): ResolvedSchema {
  return resolve(schema, schemas, [])
}

function resolve(schema: JsonSchema, schemas: Schemas, visited: readonly string[]): ResolvedSchema {
  const { $ref, allOf, ...base } = schema
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    const target = schemas[name]
    if (!target || visited.includes(name)) throw new Error(`unresolved schema: ${name}`)
    const resolved = resolve(target, schemas, [...visited, name])
    return { name, schema: join(resolved.schema, base) }
  }
  if (allOf === undefined) return { name: undefined, schema: base }
  const parts = allOf.map((part) => resolve(part, schemas, visited))
  // A reference with other keys next to it is wrapped in an `allOf` with one element.
  const name = parts.length === 1 && base.properties === undefined ? parts[0]?.name : undefined
  return { name, schema: [...parts.map((part) => part.schema), base].reduce(join, anySchema) }
}

function join(first: JsonSchema, second: JsonSchema): JsonSchema {
  const properties = { ...first.properties, ...second.properties }
  const required = [...(first.required ?? []), ...(second.required ?? [])]
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}
