import { readFileSync } from 'node:fs'
import { type Json, resolved, specification } from './specifications.ts'

/** The table entry of a field, parameter or result. */
export interface Field {
  /** A component, `T[]` for a list, `A|B` for a union, or a notation: `addr`, `hash`, `s-int64`, `string/int32`. */
  readonly type: string
  readonly optional?: true
  readonly const?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
}

/** Fields or parameters by name. */
export type Fields = Readonly<Record<string, Field>>

interface Table {
  readonly operations: Readonly<
    Record<
      string,
      {
        readonly verbs: readonly string[]
        readonly parameters?: Fields
        readonly body: string
        readonly result: string
      }
    >
  >
  readonly requests: Readonly<Record<string, Fields>>
  readonly types: Readonly<Record<string, { readonly '@type'?: string; readonly fields: Fields }>>
  readonly unions: Readonly<Record<string, readonly string[]>>
  readonly enums: Readonly<Record<string, readonly string[]>>
}

const upstream = JSON.parse(
  readFileSync(new URL('../fixtures/jetton/v2.json', import.meta.url), 'utf8'),
) as Table

const configId: Fields = { config_id: { type: 'integer' } }

/** The table, except where this interface differs from the one that the table describes. */
export const table: Table = {
  ...upstream,
  operations: {
    ...upstream.operations,
    // Returns the decoded parameter instead of its cells, of the latest block only.
    getConfigParam: {
      verbs: ['get', 'post'],
      parameters: configId,
      body: 'ConfigParamRequest',
      result: 'ConfigParam',
    },
    // The upstream table has a plain string here, this document an address.
    packAddress: { ...entry('packAddress'), result: 'addr' },
    unpackAddress: { ...entry('unpackAddress'), result: 'addr' },
  },
  requests: { ...upstream.requests, ConfigParamRequest: configId },
}

function entry(name: string) {
  const found = upstream.operations[name]
  if (!found) throw new Error(`the table has no ${name}`)
  return found
}

const document = specification('jetton-v2')

const formats: Readonly<Record<string, string>> = {
  address: 'addr',
  bytes: 'bytes',
  hash: 'hash',
  int256: 'int256',
  int64: 's-int64',
}

/** Whether a component is only a string or number, which the table writes by its notation. */
function isPlain({ type, enum: values }: Json): boolean {
  return values === undefined && (Array.isArray(type) || type === 'string' || type === 'integer')
}

/** A schema in the notation of the table. */
export function typeOf(schema: Json): string {
  const { $ref, type, format, oneOf, items, properties } = schema as Json & { format?: string }
  if (typeof $ref === 'string') {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    if (name === 'HexHash') return 'hash-hex'
    const target = resolved(document, schema)
    return isPlain(target) ? typeOf(target) : name
  }
  if (Array.isArray(oneOf)) return oneOf.map((part: Json) => typeOf(part)).join('|')
  if (type === 'array') return `${typeOf(items as Json)}[]`
  if (type === 'object') {
    const fields = Object.entries(properties as Record<string, Json>)
    return `{${fields.map(([name, field]) => `${name}: ${typeOf(field)}`).join(', ')}}`
  }
  if (Array.isArray(type)) {
    const integer = type.includes('integer') ? [format ?? 'int32'] : []
    return ['string', ...integer, ...type.filter((typeName) => typeName === 'boolean')].join('/')
  }
  if (type === 'string') return formats[format ?? ''] ?? 'string'
  return String((type === 'integer' && format) || type)
}

const int32 = [-(2 ** 31), 2 ** 31 - 1]

/** A field or parameter in the notation of the table. */
export function fieldOf(schema: Json, required: boolean): Field {
  const facts: Json = { ...resolved(document, schema), ...schema }
  const bounds = (['minimum', 'maximum'] as const).filter(
    (key) => key in facts && !int32.includes(facts[key] as number),
  )
  const keys = [...bounds, 'default', ...('$ref' in schema ? [] : ['const', 'enum'])]
  return {
    type: typeOf(schema),
    ...(!required && { optional: true }),
    ...Object.fromEntries(keys.filter((key) => key in facts).map((key) => [key, facts[key]])),
  }
}

/** The fields of an object, or the combined fields of its alternatives if there are several. */
export function fieldsOf(schema: Json): Fields {
  if (Array.isArray(schema['oneOf'])) return joined((schema['oneOf'] as Json[]).map(fieldsOf))
  const required = (schema['required'] ?? []) as readonly string[]
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
  return Object.fromEntries(
    properties.map(([name, field]) => [name, fieldOf(field, required.includes(name))]),
  )
}

function joined(forms: readonly Fields[]): Fields {
  const names = [...new Set(forms.flatMap(Object.keys))]
  return Object.fromEntries(
    names.map((name) => {
      const fields = forms.flatMap((form) => form[name] ?? [])
      const constants = fields.flatMap((field) => field.const ?? [])
      const type = [...new Set(fields.map((field) => field.type))]
        .toSorted((a, b) => (a > b ? -1 : 1))
        .join('|')
      const optional = fields.length < forms.length || fields.some((field) => field.optional)
      return [name, { type, ...(optional && { optional }), ...(constants.length > 0 && { enum: constants }) }]
    }),
  )
}
