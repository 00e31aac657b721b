import { readFileSync } from 'node:fs'
import { componentSchemas, type Json, specification } from './specifications.ts'

/** Types by field name: `name?` is optional, `type~` may be null, `type[]` is a list. */
export type Fields = Readonly<Record<string, string>>

export interface Parameter {
  readonly name: string
  readonly type: string
  readonly required?: true
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly string[]
}

interface Table {
  readonly operations: readonly {
    readonly method: string
    readonly path: string
    readonly parameters: readonly Parameter[]
    readonly body?: string
    readonly answer: string
  }[]
  readonly types: Readonly<Record<string, Fields | string>>
  /** By type and field. */
  readonly enumerations: Readonly<Record<string, readonly string[]>>
  /** Type of the details, by type of the sale. */
  readonly sales: Fields
  readonly actions: readonly { readonly types: readonly string[]; readonly details: Fields }[]
  readonly orderBodies: readonly { readonly type: string; readonly parsed_body: Fields }[]
}

/** The types and operations of family v3, as the indexer of the chain defines them. */
export const table = JSON.parse(
  readFileSync(new URL('../fixtures/jetton/v3.json', import.meta.url), 'utf8'),
) as Table

export const document = specification('jetton-v3')
export const components = componentSchemas(document)

// The types where this document differs from the table.

/** Types of the burns, which have a different shape here, and types that no operation returns. */
const left = new Set([
  'JettonBurn',
  'JettonBurnsResponse',
  'DeprecatedEventsResponse',
  'BalanceChangesResult',
  'ToncoJettonSwap',
  'WtonMint',
])

/** Types that the table leaves open or gets wrong, and fields that a request may omit. */
const closer: Readonly<Record<string, Fields>> = {
  Trace: { mc_seqno_start: 's-uint32', mc_seqno_end: 's-uint32' },
  JettonTransferBody: { stonfi_swap_body: 'map<string,any>~' },
  V2RunGetMethodResult: { stack: 'V2StackEntity[]' },
  V2RunGetMethodRequest: { 'stack?': 'V2StackArgument[]' },
  V2EstimateFeeRequest: { 'init_code?': 'string', 'init_data?': 'string', 'ignore_chksig?': 'boolean' },
  DecodeRequest: { 'opcodes?': 'string[]', 'bodies?': 'string[]' },
}

/** The types of the table that the document contains. */
export const types: readonly string[] = Object.keys(table.types).filter((name) => !left.has(name))

/** The fields of a type as the document should have them. */
export function fieldsOf(name: string, fields = table.types[name] as Fields): Fields {
  const instead = closer[name] ?? {}
  const replaced = new Set(Object.keys(instead).map((key) => key.replace('?', '')))
  return { ...without(fields, ...replaced), ...instead }
}

export function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

export const nameOf = (reference: unknown): string => String(reference).replace(/^.*\//, '')

/** The notation of the table for primitive components. */
const primitives: Fields = {
  Address: 'addr',
  RawAddress: 'addr',
  Hash: 'hash',
  AnyHash: 'hash',
  Shard: 'shard',
  AnyShard: 'shard',
  Opcode: 'opcode',
  AnyOpcode: 'opcode',
  Int64: 's-int64',
  Uint64: 's-uint64',
  Uint32: 's-uint32',
  Finality: 'finality',
  DecodedBody: 'object',
}

/** A schema in the notation of the table. */
export function notation(schema: Json): string {
  const { $ref, type, oneOf, anyOf, items, additionalProperties, propertyNames } = schema
  if (typeof $ref === 'string') {
    const name = nameOf($ref)
    return primitives[name] ?? (components[name]?.['type'] === 'string' ? 'string' : name)
  }
  if (Array.isArray(oneOf))
    return oneOf
      .map((form) => notation(form as Json))
      .join('|')
      .replace('|null', '~')
  if (Array.isArray(anyOf)) return notation(anyOf[0] as Json)
  if (Array.isArray(type)) return `${notation({ ...schema, type: type[0] as string })}~`
  if (type === 'array') return `${notation(items as Json)}[]`
  if (type === 'integer') return integer(schema)
  if (type !== 'object') return type as string
  if (additionalProperties === true) return 'object'
  const key = propertyNames ? notation(propertyNames as Json) : 'string'
  return `map<${key},${notation(additionalProperties as Json)}>`
}

function integer({ format, minimum, maximum }: Json): string {
  if (format !== undefined) return format as string
  const widths: Readonly<Record<number, string>> = { 255: 'uint8', 4294967295: 'uint32' }
  return minimum === 0 ? (widths[maximum as number] ?? 'uint64') : 'integer'
}

/** The type in the document. Where the table only has `string`, more specific string types are reduced to `string`. */
export function typeIn(schema: Json, expected: string | undefined): string {
  const type = notation(schema)
  return expected !== undefined && /^string\b|,string>/.test(expected)
    ? type.replace(/\b(addr|hash|shard|opcode|s-u?int\d+)(?=\W*$)/, 'string')
    : type
}

/** The fields of an object schema, reduced to the precision of the table. */
export function fieldsIn(schema: Json, expected: Fields): Fields {
  const required = (schema['required'] ?? []) as readonly string[]
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
  return Object.fromEntries(
    properties.map(([name, field]) => {
      const key = required.includes(name) ? name : `${name}?`
      return [key, typeIn(field, expected[key])]
    }),
  )
}

/** The table converted to {@link notation}: bytes may be null here, and open objects have no types. */
export function expectedFields(fields: Fields): Fields {
  const plain = (type: string) =>
    type.replace('map<string,any>', 'object').replace('string(base64)', 'string~')
  return Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, plain(type)]))
}
