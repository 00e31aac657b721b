import { describe, expect, it } from 'vitest'
import { describeSchema } from './describe-schema.ts'
import type { JsonSchema, Schemas } from './json-schema.ts'

const schemas: Schemas = {
  Hash: { type: 'string', pattern: '^0x', description: 'A hash.' },
  Tree: {
    type: 'object',
    required: ['left'],
    properties: { left: { $ref: '#/components/schemas/Tree' }, name: { type: 'string' } },
  },
  Named: {
    allOf: [
      { $ref: '#/components/schemas/Tree' },
      { type: 'object', required: ['age'], properties: { age: { type: 'integer' } } },
    ],
  },
}
const hash: JsonSchema = { $ref: '#/components/schemas/Hash' }

const describeType = (schema: JsonSchema) => describeSchema(schema, schemas)

describe('describeSchema', () => {
  it('resolves a reference and applies the sibling keywords', () => {
    expect(describeType(hash)).toMatchObject({ type: 'string', name: 'Hash', description: 'A hash.' })
    expect(describeType({ ...hash, description: 'Of a block.' }).description).toBe('Of a block.')
    expect(describeType({ allOf: [hash], default: '0x0' })).toMatchObject({
      name: 'Hash',
      rules: [
        { label: 'default', values: ['"0x0"'] },
        { label: 'pattern', values: ['^0x'] },
      ],
    })
  })

  it('merges allOf', () => {
    const { parts, type } = describeType({ $ref: '#/components/schemas/Named' })
    expect(type).toBe('object')
    expect(parts.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['left', true],
      ['name', false],
      ['age', true],
    ])
  })

  it('stops at a recursive schema', () => {
    const [left] = describeType({ $ref: '#/components/schemas/Tree' }).parts
    expect(left && describeType(left.schema)).toMatchObject({ name: 'Tree', type: 'object' })
    expect(() => describeSchema({ $ref: '#/components/schemas/A' }, { A: { $ref: '#/A' } })).toThrow(
      /unresolved/,
    )
  })

  it.each<[type: string, schema: JsonSchema]>([
    ['array of string', { type: 'array', items: hash }],
    ['array of array of integer', { type: 'array', items: { type: 'array', items: { type: 'integer' } } }],
    ['map of string', { type: 'object', additionalProperties: hash }],
    ['string or null', { oneOf: [hash, { type: 'null' }] }],
    ['string or null', { type: ['string', 'null'] }],
    ['one of 2', { anyOf: [hash, { type: 'integer' }] }],
    ['one of 2 or null', { anyOf: [hash, { type: 'integer' }, { type: 'null' }] }],
    ['array of 2', { type: 'array', prefixItems: [hash, hash] }],
    ['number', { const: 1 }],
    ['any', {}],
  ])('names a type %s', (type, schema) => {
    expect(describeType(schema).type).toBe(type)
  })

  it('describes the item rules of a list', () => {
    expect(describeType({ type: 'array', maxItems: 64, items: hash }).rules).toEqual([
      { label: 'up to 64 items', values: [] },
      { label: 'each: pattern', values: ['^0x'] },
    ])
  })

  it.each<[label: string, values: string[], schema: JsonSchema]>([
    ['one of', ['"a"', 'null'], { enum: ['a', null] }],
    ['always', ['"a"'], { const: 'a' }],
    ['at least', ['0'], { minimum: 0 }],
    ['32 characters', [], { minLength: 32, maxLength: 32 }],
    ['1 characters or more', [], { minLength: 1 }],
    ['no additional fields', [], { additionalProperties: false }],
    ['default', ['false'], { default: false }],
  ])('describes the rule %s', (label, values, schema) => {
    expect(describeType(schema).rules).toEqual([{ label, values }])
  })

  it('names alternatives by their distinguishing property', () => {
    const kind = (value: string): JsonSchema => ({ type: 'object', properties: { kind: { const: value } } })
    const { parts } = describeType({ oneOf: [hash, kind('a'), { const: 2 }, { type: 'integer' }] })
    expect(parts.map(({ name }) => name)).toEqual(['Hash', 'kind "a"', '2', 'integer'])
  })
})
