import { type JsonSchema, resolveSchema, type Schemas } from './json-schema.ts'

/** A schema as readable text. */
export interface SchemaDescription {
  /** For example `array of string`. */
  readonly type: string
  /** Name of the schema, or of the schema of its items. */
  readonly name: string | undefined
  readonly description: string
  readonly isDeprecated: boolean
  readonly rules: readonly Rule[]
  /** Its parts; deeper ones are described when they are opened. */
  readonly parts: readonly SchemaPart[]
}

/** A constraint of a value. */
export interface Rule {
  readonly label: string
  /** Values that are shown as code. */
  readonly values: readonly string[]
}

/** A part of a value. */
export interface SchemaPart {
  /** The name of a field, or the distinguishing property of an alternative. */
  readonly name: string
  readonly kind: 'field' | 'entry' | 'alternative'
  readonly isRequired: boolean
  readonly schema: JsonSchema
}

/** Describes a schema and its direct parts only, so that a recursive schema terminates. */
export function describeSchema(unresolved: JsonSchema, schemas: Schemas): SchemaDescription {
  const { name, schema, isNullable } = withoutNull(unresolved, schemas)
  const container = containerOf(schema)
  const inner = container && describeSchema(container.content, schemas)
  return {
    type: (inner ? `${container.type} of ${inner.type}` : typeText(schema)) + (isNullable ? ' or null' : ''),
    name: name ?? inner?.name,
    description: schema.description ?? '',
    isDeprecated: schema.deprecated === true,
    rules: [...rulesOf(schema), ...(inner?.rules ?? []).map(forItems)],
    parts: inner ? inner.parts : partsOf(schema, schemas),
  }
}

interface Unwrapped {
  readonly name: string | undefined
  readonly schema: JsonSchema
  readonly isNullable: boolean
}

/** The schema of a choice between a schema and null. */
function withoutNull(unresolved: JsonSchema, schemas: Schemas): Unwrapped {
  const { name, schema } = resolveSchema(unresolved, schemas)
  const { oneOf, anyOf, ...base } = schema
  const choice = oneOf ?? anyOf
  const alternatives = choice?.filter(({ type }) => type !== 'null') ?? []
  const [single] = alternatives
  if (!choice || alternatives.length === choice.length || !single) return { name, schema, isNullable: false }
  if (alternatives.length > 1) return { name, schema: { ...base, oneOf: alternatives }, isNullable: true }
  const inner = withoutNull(single, schemas)
  return { name: name ?? inner.name, schema: { ...inner.schema, ...base }, isNullable: true }
}

interface Container {
  readonly type: string
  /** The schema of all contained values. */
  readonly content: JsonSchema
}

/** A list or a map with values of one schema; its parts are those of one value. */
function containerOf({ type, items, additionalProperties, properties }: JsonSchema): Container | undefined {
  if (type === 'array' && items !== undefined && items !== false) return { type, content: items }
  if (typeof additionalProperties !== 'object' || properties || Array.isArray(type)) return undefined
  return { type: typeof type === 'string' && type !== 'object' ? type : 'map', content: additionalProperties }
}

function typeText({ type, oneOf, anyOf, const: constant, prefixItems, properties }: JsonSchema): string {
  if (prefixItems) return `array of ${prefixItems.length}`
  if (typeof type === 'string') return type
  if (type) return type.join(' or ')
  const choice = oneOf ?? anyOf
  if (choice) return `one of ${choice.length}`
  if (properties) return 'object'
  if (constant !== undefined) return constant === null ? 'null' : typeof constant
  return 'any'
}

function forItems({ label, values }: Rule): Rule {
  return { label: label.startsWith('each') ? label : `each: ${label}`, values }
}

function rulesOf(schema: JsonSchema): readonly Rule[] {
  const { items, additionalProperties, propertyNames } = schema
  return [
    valued('number', schema['x-number']),
    listed('always', 'const' in schema ? [schema.const] : undefined),
    listed('one of', schema.enum),
    valued('default', 'default' in schema ? JSON.stringify(schema.default) : undefined),
    valued('format', schema.format),
    valued('pattern', schema.pattern),
    valued('at least', schema.minimum),
    valued('at most', schema.maximum),
    valued('more than', schema.exclusiveMinimum),
    valued('less than', schema.exclusiveMaximum),
    length('characters', schema.minLength, schema.maxLength),
    length('items', schema.minItems, schema.maxItems),
    stated('unique items', schema.uniqueItems === true),
    stated('no additional items', items === false),
    stated('no additional fields', additionalProperties === false),
    valued('names match pattern', propertyNames?.pattern),
    stated('read only', schema.readOnly === true),
    stated('write only', schema.writeOnly === true),
    valued('at most one of', schema['x-oneof']),
  ].filter((rule) => rule !== undefined)
}

function valued(label: string, value: string | number | undefined): Rule | undefined {
  return value === undefined ? undefined : { label, values: [String(value)] }
}

function listed(label: string, values: readonly unknown[] | undefined): Rule | undefined {
  return values && { label, values: values.map((value) => JSON.stringify(value)) }
}

function stated(label: string, isSet: boolean): Rule | undefined {
  return isSet ? { label, values: [] } : undefined
}

function length(unit: string, min: number | undefined, max: number | undefined): Rule | undefined {
  if (min === undefined && max === undefined) return undefined
  if (min === max) return { label: `${min} ${unit}`, values: [] }
  if (max === undefined) return { label: `${min} ${unit} or more`, values: [] }
  return { label: min === undefined ? `up to ${max} ${unit}` : `${min} to ${max} ${unit}`, values: [] }
}

function partsOf(schema: JsonSchema, schemas: Schemas): readonly SchemaPart[] {
  const { properties = {}, required = [], additionalProperties, prefixItems = [], oneOf, anyOf } = schema
  return [
    ...Object.entries(properties).map(([name, part]) => partOf('field', name, part, required.includes(name))),
    ...(typeof additionalProperties === 'object'
      ? [partOf('entry', 'any name', additionalProperties, false)]
      : []),
    ...prefixItems.map((part, index) => partOf('entry', String(index), part, true)),
    ...(oneOf ?? anyOf ?? []).map((part) => partOf('alternative', titleOf(part, schemas), part, false)),
  ]
}

function partOf(kind: SchemaPart['kind'], name: string, schema: JsonSchema, isRequired: boolean): SchemaPart {
  return { kind, name, schema, isRequired }
}

/** The title of an alternative. */
function titleOf(unresolved: JsonSchema, schemas: Schemas): string {
  const { name, schema } = resolveSchema(unresolved, schemas)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (name !== undefined) return name
  // Alternatives often differ in the single allowed value of a field.
  const fixed = Object.entries(schema.properties ?? {}).find(([, { const: value }]) => value !== undefined)
  if (fixed) return `${fixed[0]} ${JSON.stringify(fixed[1].const)}`
  return schema.title ?? describeSchema(schema, schemas).type
}
