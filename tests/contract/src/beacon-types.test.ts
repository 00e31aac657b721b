import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { componentSchemas, type Json, specification, validatorsOf } from './specifications.ts'

/**
 * The type of a field: a component, `boolean`, `string` or `number`, or a list of it with minimum and maximum length.
 */
interface Field {
  readonly type: string
  readonly optional?: true
  readonly array?: true
  readonly bounds?: readonly [number, number | null]
}

/** The table entry of a component. */
interface TypeEntry {
  readonly fields?: Readonly<Record<string, Field>>
  readonly array?: Field
  readonly enum?: readonly string[]
  readonly anyOf?: readonly string[]
  /** Component by topic. */
  readonly event?: Readonly<Record<string, string>>
  /** Component by fork. */
  readonly version?: Readonly<Record<string, string>>
  /** Minimum and maximum number of bytes in hexadecimal. */
  readonly bytes?: readonly [number, number | null]
  /** Number of bits of an integer in decimal. */
  readonly decimal?: number
  readonly signed?: true
  /** Any string. */
  readonly string?: true
}

const { types } = JSON.parse(
  readFileSync(new URL('../fixtures/beacon/types.json', import.meta.url), 'utf8'),
) as { types: Readonly<Record<string, TypeEntry>> }

const document = specification('beacon')
const components = componentSchemas(document)
const compile = validatorsOf(document)

function nameOf(reference: unknown): string {
  const pointer = String(reference)
  return pointer.slice(pointer.lastIndexOf('/') + 1)
}

function fieldOf(schema: Json): Field {
  const { $ref, type, items, minItems, maxItems, oneOf } = schema
  if (typeof $ref === 'string') return { type: nameOf($ref) }
  if (Array.isArray(oneOf)) return { type: oneOf.map((part: Json) => fieldOf(part).type).join('|') }
  if (type === 'array') {
    const item = fieldOf(items as Json)
    const bounds = [minItems ?? 0, maxItems ?? null] as [number, number | null]
    return {
      type: item.type + (item.array ? '[]' : ''),
      array: true,
      ...((minItems ?? maxItems) !== undefined && { bounds }),
    }
  }
  if (type === 'integer') return { type: 'number' }
  if (type !== 'object') return { type: String(type) }
  const fields = Object.entries(fieldsOf(schema)).map(([name, field]) => `${name}: ${field.type}`)
  return { type: `{${fields.join(', ')}}` }
}

/** The fields of an object, including those of the type that it extends. */
function fieldsOf(schema: Json): Record<string, Field> {
  const { $ref, allOf, properties, required } = schema
  if (typeof $ref === 'string') return fieldsOf(components[nameOf($ref)] ?? {})
  const names = (required ?? []) as readonly string[]
  const ownFields = Object.entries((properties ?? {}) as Record<string, Json>).map(([name, field]) => [
    name,
    { ...fieldOf(field), ...(!names.includes(name) && { optional: true }) },
  ])
  const parts = ((allOf ?? []) as Json[]).map(fieldsOf)
  return Object.assign({}, ...parts, Object.fromEntries(ownFields)) as Record<string, Field>
}

/** The data type by discriminator, for a union with a constant discriminator field. */
function dataBy(key: string, schema: Json): Readonly<Record<string, string>> {
  const forms = schema['oneOf'] as { required: string[]; properties: Record<string, Json> }[]
  const entries = forms.map(({ required, properties }) => {
    expect(Object.keys(properties)).toEqual([key, 'data'])
    expect(required).toEqual([key, 'data'])
    return [properties[key]?.['const'], nameOf(properties['data']?.['$ref'])]
  })
  return Object.fromEntries(entries) as Record<string, string>
}

const entries = Object.entries(types).map(([name, entry]) => ({
  name,
  entry,
  schema: components[name] ?? {},
}))
const described = (kind: keyof TypeEntry) => entries.filter(({ entry }) => kind in entry)

it('matches the types of the table', () => {
  // The HTTP server of the gateway sends one error body for every API.
  expect(Object.keys(components).toSorted()).toEqual([...Object.keys(types), 'HttpServerError'].toSorted())
})

describe('the types of the beacon document', () => {
  it.each(described('fields'))('$name has the fields of the table', ({ entry, schema }) => {
    expect(fieldsOf(schema)).toEqual(entry.fields)
  })

  it.each(described('array'))('$name has the items of the table', ({ entry, schema }) => {
    expect(fieldOf(schema)).toEqual(entry.array)
  })

  it.each(described('enum'))('$name has the values of the table', ({ entry, schema }) => {
    expect(schema).toMatchObject({ type: 'string', enum: entry.enum })
  })

  it.each(described('anyOf'))('$name is one of the types of the table', ({ entry, schema }) => {
    expect((schema['anyOf'] as Json[]).map(({ $ref }) => nameOf($ref))).toEqual(entry.anyOf)
  })

  it.each(described('event'))('$name has the data of each topic', ({ entry, schema }) => {
    expect(dataBy('event', schema)).toEqual(entry.event)
    expect(Object.keys(entry.event ?? {})).toEqual(types['EventTopic']?.enum)
  })

  it.each(described('version'))('$name has the data of each fork', ({ entry, schema }) => {
    expect(dataBy('version', schema)).toEqual(entry.version)
  })

  it.each(described('string'))('$name accepts any text', ({ schema }) => {
    expect(compile(schema)('any text')).toBe(true)
    expect(compile(schema)(1)).toBe(false)
  })

  it.each(described('bytes'))('$name has the byte length of the table', ({ entry, schema }) => {
    const [minBytes, maxBytes] = entry.bytes ?? [0, 0]
    const validate = compile(schema)
    const accepted = (count: number, digits = 'aF') => validate(`0x${digits.repeat(count)}`)
    expect(accepted(minBytes)).toBe(true)
    expect(accepted(maxBytes ?? minBytes + 5000)).toBe(true)
    if (minBytes > 0) expect(accepted(minBytes - 1)).toBe(false)
    if (maxBytes !== null) expect(accepted(maxBytes + 1)).toBe(false)
    expect(validate(`0x${'aF'.repeat(minBytes)}0`)).toBe(false)
    expect(validate('aF'.repeat(minBytes))).toBe(false)
    expect(accepted(Math.max(minBytes, 1), '0g')).toBe(false)
    expect(validate(0)).toBe(false)
  })

  it.each(described('decimal'))('$name accepts integers as decimal text', ({ entry, schema }) => {
    const validate = compile(schema)
    const bits = BigInt(entry.decimal ?? 0)
    const largest = 2n ** (entry.signed ? bits - 1n : bits) - 1n
    for (const value of ['0', '7', '10', String(largest)]) expect(validate(value), value).toBe(true)
    for (const value of ['', '00', '07', '+7', '7.0', '7 ', '1e3', '0x7', '-0', `${largest}00`, 7])
      expect(validate(value), String(value)).toBe(false)
    for (const value of ['-7', String(-largest)]) expect(validate(value), value).toBe(entry.signed === true)
  })
})
